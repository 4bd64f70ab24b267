#include "transport/probe/driver.hpp"

#include <algorithm>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/probe/datagram.hpp"

namespace lbsp::probe {
namespace {

using transport::Instant;
using transport::SocketAddress;
using transport::UdpPort;

constexpr int batches_per_turn = 8;
// Replies to strangers pass through a pretended network too, each on a path of its own.
constexpr std::size_t most_paths = 16;

/// Whether datagrams may be sent in fragments. If not, what the kernel believes of the path does not count
/// either.
void set_whole(int socket, int family, bool whole) {
  // Not granted: large datagrams are refused one by one, and count as lost.
  const int v4 = whole ? IP_PMTUDISC_PROBE : IP_PMTUDISC_DONT;
  const int v6 = whole ? IPV6_PMTUDISC_PROBE : IPV6_PMTUDISC_DONT;
  static_cast<void>(setsockopt(socket, IPPROTO_IP, IP_MTU_DISCOVER, &v4, sizeof v4));
  if (family == AF_INET6)
    static_cast<void>(setsockopt(socket, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &v6, sizeof v6));
}

boost::asio::ip::udp protocol_of(const UdpPort& port) {
  return port.family() == AF_INET6 ? boost::asio::ip::udp::v6() : boost::asio::ip::udp::v4();
}

}  // namespace

Driver::Driver(UdpPort port, End& end, const std::optional<transport::WanSpec>& wan, std::uint64_t wan_seed)
    : end_(end),
      pool_(most_packet),
      received_(port.native_handle(), most_packet, transport::ReceiveBatch::Sources::kept),
      batch_(port.native_handle(), pool_, {}) {
  set_whole(port.native_handle(), port.family(), false);
  socket_.assign(protocol_of(port), port.native_handle());
  port.release();
  if (wan) link_.emplace(*wan, wan_seed, 0, static_cast<Rank>(most_paths));
}

Driver::~Driver() = default;

void Driver::run() {
  wait_readable();
  service();
  io_.run();
}

void Driver::wait_readable() {
  socket_.async_wait(Socket::wait_read, [this](const boost::system::error_code& error) {
    if (!error) receive();
  });
}

void Driver::receive() {
  for (int turn = 0; turn < batches_per_turn; ++turn) {
    const auto count = received_.receive();
    const auto time = now();
    for (std::size_t i = 0; i < count; ++i)
      end_.handle_datagram(received_[i], received_.source(i), time);
    if (count < transport::batch_datagrams) break;
  }
  wait_readable();
  service();
}

void Driver::service() {
  const auto time = now();
  if (end_.next_timeout() <= time) end_.handle_timeout(time);
  transmit();
  if (on_event_) on_event_();
  if (end_.finished()) return io_.stop();
  plan();
}

void Driver::transmit() {
  bool more = !blocked_;
  for (int turn = 0; more && turn < batches_per_turn; ++turn) {
    more = fill_batch();
    if (!batch_.flush()) return wait_writable();
  }
  if (!more || posted_) return;
  posted_ = true;
  boost::asio::post(io_, [this] {
    posted_ = false;
    service();
  });
}

void Driver::follow_end_s_wish() {
  if (end_.whole() == whole_) return;
  whole_ = end_.whole();
  set_whole(socket_.native_handle(), socket_.local_endpoint().protocol().family(), whole_);
}

// Returns whether there may be more to send now.
bool Driver::fill_batch() {
  follow_end_s_wish();
  const auto time = now();
  const auto take_due = [&] {
    while (!batch_.full() && line_.next() <= time) {
      const auto arrival = line_.take();
      batch_.add(paths_[static_cast<std::size_t>(arrival.to)], arrival.slot, arrival.bytes);
    }
  };
  for (std::size_t polled = 0; polled < transport::batch_datagrams; ++polled) {
    take_due();
    if (batch_.full()) return true;
    const auto slot = pool_.acquire();
    const auto outgoing = end_.poll_transmit(pool_.bytes(slot), time);
    if (!outgoing) {
      pool_.release(slot);
      return false;
    }
    if (link_) {
      line_.send(*link_, time, 0, path_to(outgoing->to), slot, outgoing->bytes);
    } else {
      batch_.add(outgoing->to, slot, outgoing->bytes);
    }
  }
  take_due();
  return true;
}

Rank Driver::path_to(const SocketAddress& address) {
  const auto found =
      std::ranges::find_if(paths_, [&](const SocketAddress& each) { return same_address(each, address); });
  if (found != paths_.end()) return static_cast<Rank>(found - paths_.begin());
  if (paths_.size() < most_paths) {
    paths_.push_back(address);
    return static_cast<Rank>(paths_.size() - 1);
  }
  paths_[oldest_path_] = address;
  return static_cast<Rank>(std::exchange(oldest_path_, (oldest_path_ + 1) % most_paths));
}

void Driver::wait_writable() {
  blocked_ = true;
  socket_.async_wait(Socket::wait_write, [this](const boost::system::error_code& error) {
    if (error) return;
    blocked_ = !batch_.flush();
    if (blocked_) return wait_writable();
    service();
  });
}

void Driver::plan() {
  auto next = std::min(end_.next_timeout(), line_.next());
  // While the socket takes nothing, deadlines that have passed need no prompt look.
  if (blocked_) next = std::max(next, now() + std::chrono::milliseconds{1});
  if (next >= armed_ || posted_) return;
  armed_ = next;
  timer_.expires_at(std::chrono::steady_clock::time_point(next.time_since_epoch()));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    armed_ = transport::never;
    service();
  });
}

std::size_t largest_unfragmented(const SocketAddress& peer) {
  const bool v6 = peer.storage.ss_family == AF_INET6;
  const int socket = ::socket(peer.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  int mtu = 0;
  socklen_t length = sizeof mtu;
  const bool known =
      socket >= 0 && ::connect(socket, peer.get(), peer.length) == 0 &&
      ::getsockopt(socket, v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_MTU : IP_MTU, &mtu, &length) == 0;
  if (socket >= 0) ::close(socket);
  const int headers = v6 ? 48 : 28;
  if (!known || mtu <= headers) return most_packet;
  return std::min<std::size_t>(static_cast<std::size_t>(mtu - headers), most_packet);
}

}  // namespace lbsp::probe
