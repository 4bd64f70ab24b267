#include "transport/udp/driver.hpp"

#include <algorithm>

#include "transport/core/datagram_sizes.hpp"
#include "transport/error.hpp"
#include "transport/udp/route.hpp"

namespace lbsp::transport {
namespace {

// Reading and writing take turns after so many batches, so that neither starves the other.
constexpr int batches_per_turn = 8;
// The pacer would release one datagram after the other, each at the price of a wake-up. This many come
// together instead; its credit of a millisecond makes up for it. What a pretended network holds is not
// delayed by this.
constexpr Duration endpoint_quantum = std::chrono::microseconds{200};
// While the socket takes nothing, deadlines that have passed need no prompt look.
constexpr Duration blocked_interval = std::chrono::milliseconds{1};

EndpointConfig endpoint_config(const UdpJob& job) {
  EndpointConfig config{job.rank, static_cast<Rank>(job.addresses.size()), job.options, job.key, job.cipher,
                        {}};
  for (const auto& address : job.addresses)
    config.addresses.push_back(to_string(address));
  if (job.planner) config.planner = job.planner(job.rank);
  config.priors = job.priors;
  return config;
}

std::vector<SocketAddress> resolve_peers(const UdpJob& job, int family) {
  std::vector<SocketAddress> peers(job.addresses.size());
  for (std::size_t rank = 0; rank < peers.size(); ++rank) {
    if (static_cast<Rank>(rank) != job.rank) peers[rank] = resolve(job.addresses[rank], family);
  }
  return peers;
}

boost::asio::ip::udp protocol_of(const UdpPort& port) {
  return port.family() == AF_INET6 ? boost::asio::ip::udp::v6() : boost::asio::ip::udp::v4();
}

}  // namespace

UdpDriver::UdpDriver(UdpPort port, const UdpJob& job)
    : rank_(job.rank),
      endpoint_(endpoint_config(job), now()),
      pool_(job.options.datagram_bytes),
      received_(port.native_handle(), job.options.datagram_bytes),
      batch_(port.native_handle(), pool_, resolve_peers(job, port.family())) {
  // From here on the socket belongs to Asio, not before: whatever throws above leaves it to the port.
  socket_.assign(protocol_of(port), port.native_handle());
  port.release();
  limit_to_routes(static_cast<Rank>(job.addresses.size()));
  if (job.wan) link_.emplace(*job.wan, job.wan_seed, job.rank, static_cast<Rank>(job.addresses.size()));
}

/// What the system knows to be too long is never tried.
void UdpDriver::limit_to_routes(Rank size) {
  for (Rank rank = 0; rank < size; ++rank) {
    if (rank == rank_) continue;
    if (const auto bytes = longest_datagram(batch_.address_of(rank)))
      endpoint_.limit_datagrams(rank, *bytes, now());
  }
}

/// An interface or a route takes less than it did. Returns whether anything was refused, and is to be sent in
/// shorter datagrams.
bool UdpDriver::act_on_refusals(Instant time) {
  const auto refusals = batch_.take_too_long();
  for (const auto& [to, bytes] : refusals) {
    if (bytes > endpoint_.datagram_bytes(to)) continue;  // one of many that went out before the first refusal
    const auto route = longest_datagram(batch_.address_of(to));
    // A system that refuses what its route takes: shorter ones may pass.
    const bool of_route = route && *route < bytes;
    endpoint_.limit_datagrams(to, of_route ? *route : next_smaller_datagram(bytes), time);
  }
  return !refusals.empty();
}

void UdpDriver::run() {
  wait_readable();
  service();
  io_.run();
}

void UdpDriver::wait_readable() {
  socket_.async_wait(Socket::wait_read, [this](const boost::system::error_code& error) {
    if (!error) receive();
  });
}

void UdpDriver::receive() {
  for (int turn = 0; turn < batches_per_turn; ++turn) {
    const auto count = received_.receive();
    const auto time = now();
    for (std::size_t i = 0; i < count; ++i)
      endpoint_.handle_datagram(received_[i], time);
    if (count < batch_datagrams) break;
  }
  // Waiting arms the socket's edge again, so what was left unread is not forgotten.
  wait_readable();
  service();
}

void UdpDriver::service() {
  const auto time = now();
  if (endpoint_.next_timeout() <= time) endpoint_.handle_timeout(time);
  if (endpoint_.failure() && farewell_end_ == never) farewell_end_ = time + longest_farewell;
  if (on_event_) on_event_();
  transmit(time);
  // What was just sent may have been the last word.
  if (endpoint_.failure() && on_event_) on_event_();
  if (closing_ && farewell_over()) {
    io_.stop();
    return;
  }
  plan(time);
}

void UdpDriver::transmit(Instant time) {
  bool more = !blocked_;
  for (int turn = 0; more && turn < batches_per_turn; ++turn) {
    more = fill_batch(time);
    if (!batch_.flush()) return wait_writable();
    more = act_on_refusals(time) || more;
  }
  if (more && !service_posted_) {
    service_posted_ = true;
    post([this] { service_posted_ = false; });
  }
}

// Returns whether there may be more to send now.
bool UdpDriver::fill_batch(Instant time) {
  for (std::size_t polled = 0; polled < batch_datagrams; ++polled) {
    take_due(time);
    if (batch_.full()) return true;
    if (closing_ && !endpoint_.failure()) return false;
    const auto slot = pool_.acquire();
    const auto transmit = endpoint_.poll_transmit(pool_.bytes(slot), time);
    if (!transmit) {
      pool_.release(slot);
      return false;
    }
    send_or_hold(slot, *transmit, time);
  }
  take_due(time);
  return true;
}

void UdpDriver::send_or_hold(DatagramPool::Slot slot, const Transmit& transmit, Instant time) {
  if (link_) {
    line_.send(*link_, time, rank_, transmit.to, slot, transmit.bytes);
  } else {
    batch_.add(transmit.to, slot, transmit.bytes);
  }
}

void UdpDriver::take_due(Instant time) {
  while (!batch_.full() && line_.next() <= time) {
    const auto arrival = line_.take();
    batch_.add(arrival.to, arrival.slot, arrival.bytes);
  }
}

void UdpDriver::wait_writable() {
  blocked_ = true;
  socket_.async_wait(Socket::wait_write, [this](const boost::system::error_code& error) {
    if (error) return;
    blocked_ = !batch_.flush();
    if (blocked_) return wait_writable();
    service();
  });
}

void UdpDriver::plan(Instant time) {
  const auto deadline = endpoint_.next_timeout();
  auto next = deadline == never ? never : std::max(deadline, time + endpoint_quantum);
  next = std::min(next, line_.next());
  if (blocked_) next = std::max(next, time + blocked_interval);
  if (closing_) next = std::min(next, farewell_end_);
  // A timer that is set too early costs one look; setting it anew each time would cost a system call.
  if (next < armed_ && !service_posted_) set_timer(next);
}

void UdpDriver::set_timer(Instant time) {
  armed_ = time;
  timer_.expires_at(std::chrono::steady_clock::time_point(time.time_since_epoch()));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    armed_ = never;
    service();
  });
}

bool UdpDriver::farewell_over() const {
  const bool quiet =
      line_.empty() && batch_.empty() && (!endpoint_.failure() || endpoint_.next_timeout() == never);
  return quiet || now() >= farewell_end_;
}

void UdpDriver::close() {
  closing_ = true;
  farewell_end_ = std::min(farewell_end_, now() + longest_farewell);
}

UdpLosses UdpDriver::losses() const {
  return {batch_.refused(), link_ ? link_->counters() : ImpairmentCounters{}};
}

}  // namespace lbsp::transport
