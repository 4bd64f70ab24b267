#include "transport/udp/loop/datagram_loop.hpp"

#include <algorithm>
#include <chrono>

namespace lbsp::transport {
namespace {

// Reading and writing take turns after so many batches, so that neither starves the other.
constexpr int batches_per_turn = 8;
// While the socket takes nothing, deadlines that have passed need no prompt look.
constexpr Duration blocked_interval = std::chrono::milliseconds{1};
// So many looks that took something show that who looks does not wait.
constexpr int most_looks_while_waiting = 32;
// Who closes the socket, and what it is waited with, wakes nobody: a wait ends so often to see that they are there.
constexpr std::chrono::milliseconds longest_sleep{100};

}  // namespace

DatagramLoop::DatagramLoop(UdpPort port, Correspondent& correspondent, Settings settings)
    : port_(std::move(port)),
      correspondent_(correspondent),
      quantum_(settings.quantum),
      socket_(port_.native_handle()),
      received_(port_.native_handle(), settings.receive),
      outflow_(port_, correspondent, settings.receive.datagram_bytes, settings.receive.ecn,
               std::move(settings.link)) {}

void DatagramLoop::begin() {
  if (begun_) return;
  begun_ = true;
  service();
}

void DatagramLoop::run() {
  begin();
  wait_readable();
  while (!io_.stopped()) {
    io_.run_for(longest_sleep);
    socket_.throw_if_closed();
  }
}

void DatagramLoop::step(Instant until) {
  begin();
  wait_readable();
  for (bool more = true; more; more = !io_.stopped() && now() < until) {
    const Instant end = std::min(until, now() + longest_sleep);
    if (io_.run_one_until(std::chrono::steady_clock::time_point(end.time_since_epoch())) > 0) return;
    socket_.throw_if_closed();
  }
}

bool DatagramLoop::look() {
  begin();
  if (posted_ > 0) return io_.poll_one() > 0;
  if (!take_arrivals()) return false;
  service();
  if (wait_.reads() && ++looks_ >= most_looks_while_waiting) stop_waiting();
  return true;
}

bool DatagramLoop::sends_within(Duration time) const {
  if (posted_ > 0 || blocked_) return true;
  const Instant next = std::min(correspondent_.next_transmit(), outflow_.next());
  return next != never && next <= now() + time;
}

void DatagramLoop::wait_readable() {
  looks_ = 0;
  if (!wait_.reads()) wait_.for_reading([this] { receive(); });
}

/// Room to write is waited for all the same.
void DatagramLoop::stop_waiting() {
  if (!wait_.writes()) wait_.forget();
}

bool DatagramLoop::take_arrivals() {
  const Working working(working_);
  bool any = false;
  for (int turn = 0; turn < batches_per_turn; ++turn) {
    const auto count = received_.receive();
    if (count == 0) break;
    any = true;
    const auto time = now();
    for (std::size_t i = 0; i < count; ++i)
      correspondent_.handle_datagram(received_[i], received_.source(i),
                                     {time, received_.ecn(i), received_.waited(i)});
    if (!received_.may_have_more()) break;
  }
  if (any) correspondent_.after_receiving(received_.overflowed());
  return any;
}

void DatagramLoop::receive() {
  take_arrivals();
  // Waiting arms the socket's edge again, so what was left unread is not forgotten.
  wait_readable();
  service();
}

void DatagramLoop::service() {
  const Working working(working_);
  const auto time = now();
  if (correspondent_.next_timeout() <= time) correspondent_.handle_timeout(time);
  correspondent_.before_sending(time);
  transmit();
  correspondent_.after_sending();
  if (correspondent_.finished()) return io_.stop();
  plan(time);
}

void DatagramLoop::transmit() {
  if (blocked_) return;
  auto left = Outflow::Left::more;
  for (int turn = 0; left == Outflow::Left::more && turn < batches_per_turn; ++turn)
    left = outflow_.send(now());
  if (left == Outflow::Left::no_room) return wait_writable();
  if (left == Outflow::Left::more && !service_posted_) {
    service_posted_ = true;
    post([this] { service_posted_ = false; });
  }
}

void DatagramLoop::wait_writable() {
  blocked_ = true;
  wait_.for_writing([this] {
    blocked_ = !outflow_.flush();
    if (blocked_) return wait_writable();
    service();
  });
}

void DatagramLoop::plan(Instant time) {
  auto next = std::min(std::max(correspondent_.next_timeout(), time + quantum_), outflow_.next());
  if (blocked_) next = std::max(next, time + blocked_interval);
  // A timer that is set too early costs one look; setting it anew each time would cost a system call.
  if (next < armed_ && !service_posted_) set_timer(next);
}

void DatagramLoop::set_timer(Instant time) {
  armed_ = time;
  timer_.expires_at(std::chrono::steady_clock::time_point(time.time_since_epoch()));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    armed_ = never;
    service();
  });
}

}  // namespace lbsp::transport
