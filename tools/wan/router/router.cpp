#include "tools/wan/router/router.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <span>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/uio.h>
#include <thread>
#include <unistd.h>

#include "transport/error.hpp"

namespace lbsp::wan::router {

using packets::OffloadHeader;

namespace {

using transport::Duration;
using transport::Instant;

// Packets of one host, and deliveries, before it is the turn of others.
constexpr int read_batch = 32;
constexpr int delivery_batch = 64;
// Waking up costs more than moving a packet, and takes the processor from whoever sends: when packets come in
// numbers, a round is at least that long and moves all that have come meanwhile, late by half of it in the
// mean.
constexpr Duration least_round = std::chrono::microseconds{50};
constexpr int signal_number = -1;
constexpr std::size_t events_at_once = 64;
/// IP's length has 16 bits.
constexpr std::size_t most_packet_bytes = 65'536;

[[noreturn]] void fail(const char* what) {
  throw SystemError(fmt::format("{}: {}", what, std::strerror(errno)));
}

uv::Descriptor watch_for_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  return uv::Descriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

}  // namespace

Router::Router(RouterCore& core, const std::vector<HostDevice>& devices)
    : core_(core),
      devices_(devices),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      signals_(watch_for_signals()),
      incoming_(most_packet_bytes),
      outgoing_(devices.size()) {
  if (epoll_.get() < 0 || signals_.get() < 0) fail("the router cannot wait for packets");
  watch(signals_.get(), signal_number);
  for (std::size_t host = 0; host < devices_.size(); ++host)
    watch(devices_[host].descriptor.get(), static_cast<int>(host));
}

void Router::watch(int descriptor, int number) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = number;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0)
    fail("the router cannot wait for packets");
}

Instant Router::now() {
  return Instant{std::chrono::steady_clock::now().time_since_epoch()};
}

void Router::run(const std::function<void()>& on_hangup) {
  for (;;) {
    wait();
    if (signalled_) take_signals(on_hangup);
    if (ended_) return;
    for (const int host : readable_) {
      read_from(host);
      deliver();
    }
    deliver();
  }
}

void Router::begin_round() {
  const Instant start = now();
  hurried_ = start - round_start_ < least_round;
  round_start_ = start;
  moved_ = 0;
}

void Router::rest() const {
  if (moved_ < 2 && !hurried_) return;
  const Duration left = round_start_ + least_round - now();
  if (left > Duration::zero()) std::this_thread::sleep_for(left);
}

void Router::take_signals(const std::function<void()>& on_hangup) {
  signalled_ = false;
  signalfd_siginfo signal{};
  while (::read(signals_.get(), &signal, sizeof signal) == sizeof signal) {
    if (signal.ssi_signo == SIGHUP) on_hangup();
    ended_ = ended_ || signal.ssi_signo == SIGTERM;
  }
}

void Router::wait() {
  rest();
  std::array<epoll_event, events_at_once> events{};
  timespec timeout{};
  const bool idle = core_.next() == transport::never;
  if (!idle) {
    const auto left = std::max(core_.next() - now(), Duration::zero());
    const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
    timeout = {seconds.count(), (left - seconds).count()};
  }
  const int count = ::epoll_pwait2(epoll_.get(), events.data(), static_cast<int>(events.size()),
                                   idle ? nullptr : &timeout, nullptr);
  begin_round();
  readable_.clear();
  if (count < 0 && errno != EINTR) fail("the router cannot wait for packets");
  for (int i = 0; i < count; ++i) {
    const int number = events[static_cast<std::size_t>(i)].data.fd;
    if (number == signal_number)
      signalled_ = true;
    else
      readable_.push_back(number);
  }
}

void Router::read_from(int host) {
  for (int taken = 0; taken < read_batch;) {
    const int read = read_next(host);
    if (read == 0) return;
    taken += read;
    moved_ += read;
  }
}

/// Takes a packet, or a train of them. Returns how many they are; 0: the host has sent nothing more.
int Router::read_next(int host) {
  const HostDevice& device = devices_[static_cast<std::size_t>(host)];
  if (device.offloads) return read_with_offloads(host);
  const auto buffer = core_.buffer();
  const ssize_t bytes = ::read(device.descriptor.get(), buffer.data(), buffer.size());
  if (bytes < 0) return 0;
  core_.take(now(), host, static_cast<std::size_t>(bytes));
  return 1;
}

/// What is no train is read to its place; only of a train, what goes beyond that is read elsewhere.
int Router::read_with_offloads(int host) {
  OffloadHeader header{};
  const auto place = core_.buffer();
  const auto beyond = std::span(incoming_).subspan(place.size());
  const std::array<iovec, 3> pieces{
      {{&header, sizeof header}, {place.data(), place.size()}, {beyond.data(), beyond.size()}}};
  const ssize_t read = ::readv(devices_[static_cast<std::size_t>(host)].descriptor.get(), pieces.data(),
                               static_cast<int>(pieces.size()));
  if (read < static_cast<ssize_t>(sizeof header)) return 0;
  const Instant read_at = now();
  const std::size_t bytes = static_cast<std::size_t>(read) - sizeof header;
  int count = 0;
  if (header.kind == 0 && bytes <= place.size()) {
    packets::complete_checksum(header, place.first(bytes));
    core_.take(read_at, host, bytes);
    count = 1;
  }
  if (header.kind == OffloadHeader::train_of_datagrams) {
    std::ranges::copy(place.first(std::min(bytes, place.size())), incoming_.begin());
    const auto train = std::span(incoming_).first(bytes);
    while (const std::size_t next = packets::cut_datagram(train, header.payload_bytes,
                                                          static_cast<std::size_t>(count), core_.buffer())) {
      core_.take(read_at, host, next);
      ++count;
    }
  }
  // What the device should not have given leads nowhere.
  if (count == 0) core_.take(read_at, host, 0);
  return std::max(count, 1);
}

void Router::deliver() {
  for (int i = 0; i < delivery_batch; ++i) {
    const auto delivery = core_.pop_due(now());
    if (!delivery) break;
    const auto to = static_cast<std::size_t>(delivery->to);
    Outgoing& outgoing = outgoing_[to];
    if (!outgoing.train.takes(delivery->packet)) write_out(delivery->to);
    outgoing.train.add(delivery->packet);
    outgoing.deliveries.push_back(*delivery);
    ++moved_;
    if (!devices_[to].offloads || outgoing.refuses_trains)
      write_out(delivery->to);
    else if (outgoing.deliveries.size() == 1)
      leaving_.push_back(delivery->to);
  }
  for (const int to : leaving_)
    write_out(to);
  leaving_.clear();
}

/// The network's counts of lateness end when the receiving host has the packet to itself.
void Router::write_out(int to) {
  Outgoing& outgoing = outgoing_[static_cast<std::size_t>(to)];
  const HostDevice& device = devices_[static_cast<std::size_t>(to)];
  const auto is_taken = [&](std::span<const iovec> pieces) {
    const auto all = device.offloads ? pieces : pieces.subspan(1);
    return ::writev(device.descriptor.get(), all.data(), static_cast<int>(all.size())) >= 0;
  };
  const std::size_t count = outgoing.deliveries.size();
  const bool together = count > 1 && is_taken(outgoing.train.together());
  const Instant written = now();
  for (std::size_t i = 0; i < count; ++i) {
    const bool taken = together || is_taken(outgoing.train.alone(i));
    outgoing.refuses_trains = outgoing.refuses_trains || (count > 1 && taken && !together);
    core_.done(outgoing.deliveries[i], together ? written : now(), taken);
  }
  outgoing.train.clear();
  outgoing.deliveries.clear();
}

}  // namespace lbsp::wan::router
