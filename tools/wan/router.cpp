#include "tools/wan/router.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <thread>
#include <unistd.h>

#include "transport/error.hpp"

namespace lbsp::wan {
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

Router::Router(RouterCore& core, const std::vector<uv::Descriptor>& devices)
    : core_(core), devices_(devices), epoll_(::epoll_create1(EPOLL_CLOEXEC)), signals_(watch_for_signals()) {
  if (epoll_.get() < 0 || signals_.get() < 0) fail("the router cannot wait for packets");
  watch(signals_.get(), signal_number);
  for (std::size_t host = 0; host < devices_.size(); ++host)
    watch(devices_[host].get(), static_cast<int>(host));
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
  const int device = devices_[static_cast<std::size_t>(host)].get();
  for (int i = 0; i < read_batch; ++i) {
    const auto buffer = core_.buffer();
    const ssize_t bytes = ::read(device, buffer.data(), buffer.size());
    if (bytes < 0) return;
    core_.take(now(), host, static_cast<std::size_t>(bytes));
    ++moved_;
  }
}

void Router::deliver() {
  for (int i = 0; i < delivery_batch; ++i) {
    const auto delivery = core_.pop_due(now());
    if (!delivery) return;
    // The network's counts of lateness end when the receiving host has the packet to itself.
    const ssize_t written = ::write(devices_[static_cast<std::size_t>(delivery->to)].get(),
                                    delivery->packet.data(), delivery->packet.size());
    core_.done(*delivery, now(), written >= 0);
    ++moved_;
  }
}

}  // namespace lbsp::wan
