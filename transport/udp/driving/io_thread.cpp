#include "transport/udp/driving/io_thread.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <string>

#include "transport/error.hpp"
#include "transport/process/blocked_signals.hpp"
#include "transport/process/thread_start.hpp"

namespace lbsp::transport {
namespace {

const UdpJob& checked(const UdpJob& job) {
  validate(job.options);
  if (job.rank < 0 || static_cast<std::size_t>(job.rank) >= job.addresses.size()) {
    throw UsageError(fmt::format("rank {} has no entry among {} addresses: give one per rank", job.rank,
                                 job.addresses.size()));
  }
  return job;
}

/// Some 100 µs: longer than one who sleeps takes to wake up and answer. Two who wait for each other would else sleep
/// for good once both have.
constexpr int most_looks = 400;

/// Where a network is pretended, all ranks are taken to be on this host.
bool processor_each(const UdpJob& job) {
  const auto hosts = hosts_of_ranks(job);
  const auto ranks = hosts.empty() ? static_cast<std::ptrdiff_t>(job.addresses.size())
                                   : std::ranges::count(hosts, hosts[static_cast<std::size_t>(job.rank)]);
  return static_cast<std::ptrdiff_t>(std::thread::hardware_concurrency()) >= ranks;
}

}  // namespace

IoThread::IoThread(UdpPort port, const UdpJob& job)
    : outcome_({job.rank, static_cast<Rank>(job.addresses.size())}),
      driver_(std::move(port), checked(job)),
      call_(driver_, outcome_),
      turns_([this] { driver_.loop().stop(); }),
      spin_(processor_each(job), most_looks),
      missed_(job.on_missed) {
  driver_.on_event([this] {
    missed_.look(driver_.endpoint());
    call_.look();
  });
  const BlockedSignals blocked;
  thread_ = start_thread("the network", [this] { run(); });
}

IoThread::~IoThread() {
  closing_ = true;
  driver_.loop().post([this] { driver_.close(); });
  turns_.hurry();
  thread_.join();
}

void IoThread::await_first_answers() {
  const Turn turn(*this);
  const Instant since = UdpDriver::now();
  const auto in_vain = [this] { return outcome_.is_broken() || driver_.endpoint().failure(); };
  while (!in_vain()) {
    const Endpoint& endpoint = driver_.endpoint().world().endpoint();
    const Instant until = endpoint.first_answers_until(since);
    if (!endpoint.awaits_first_answers() || UdpDriver::now() >= until) return;
    unless_broken([&] { driver_.loop().step(until); });
  }
}

std::vector<Bytes> IoThread::wait(const std::function<void()>& look) {
  {
    const Turn turn(*this);
    drive(look);
  }
  return outcome_.take();
}

/// First it looks on, which is faster than to sleep and be woken where the others have processors of their own.
void IoThread::drive(const std::function<void()>& look) {
  const int looks = spin_.looks();
  const int vain = looks > 0 ? look_on(looks) : 0;
  if (outcome_.over()) {
    if (looks > 0) spin_.succeeded(std::max(vain, SpinBudget::least));
    return;
  }
  if (looks > 0) spin_.failed();
  constexpr std::chrono::milliseconds between_looks{20};
  for (Instant next = UdpDriver::now() + between_looks; !outcome_.over();) {
    unless_broken([&] { driver_.loop().step(look ? next : never); });
    if (!look || UdpDriver::now() < next) continue;
    look();
    next = UdpDriver::now() + between_looks;
  }
}

/// Until nothing has come so many times. Returns how often nothing had.
int IoThread::look_on(int looks) {
  int vain = 0;
  while (vain < looks && !outcome_.over())
    unless_broken([&] { vain = driver_.loop().look() ? 0 : vain + 1; });
  return vain;
}

void IoThread::run() noexcept {
  for (bool more = true; more;) {
    turns_.await();
    unless_broken([this] { driver_.loop().run(); });
    // While it closes, nobody interrupts.
    more = !closing_ && !outcome_.is_broken();
    turns_.pause();
  }
}

void IoThread::break_by_thrown() noexcept {
  std::exception_ptr broken = std::current_exception();
  try {
    throw;
  } catch (const Error&) {
  } catch (const std::exception& error) {
    broken = std::make_exception_ptr(
        SystemError(fmt::format("the network thread failed ({}): start the job again", error.what())));
  } catch (...) {
  }
  outcome_.break_by(std::move(broken));
}

void IoThread::abort(std::string_view reason) noexcept {
  try {
    auto end = [this, text = std::string(reason)] { driver_.endpoint().abort(text, UdpDriver::now()); };
    if (turns_.is_mine()) return abort_in_turn(std::move(end));
    driver_.loop().post(std::move(end));
    turns_.hurry();
    outcome_.wait_until_told(UdpDriver::longest_farewell);
  } catch (...) {  // no memory for the reason: the others will find this rank silent
  }
}

void IoThread::take_notice(const LossNotice& notice) noexcept {
  try {
    driver_.loop().post([this, notice] { driver_.endpoint().take_notice(notice, UdpDriver::now()); });
    turns_.hurry();
  } catch (...) {  // no memory for it: then the rank is missed later
  }
}

void IoThread::take_departures(const std::vector<Rank>& ranks) noexcept {
  try {
    driver_.loop().post([this, ranks] { driver_.endpoint().take_departures(ranks, UdpDriver::now()); });
    turns_.hurry();
  } catch (...) {  // no memory for it: then they are waited for as if nobody knew
  }
}

/// A signal has interrupted this thread while it waited in a call, and its handler ends the program, as those of C
/// programs do. Nobody else may have the turn, so the handler itself tells the others; but not from the midst of
/// something, where they find this rank silent.
void IoThread::abort_in_turn(const std::function<void()>& end) {
  if (driver_.loop().working()) return;
  constexpr std::chrono::milliseconds between_looks{1};
  unless_broken([&] { driver_.loop().act(end); });
  const Instant last = UdpDriver::now() + UdpDriver::longest_farewell;
  while (!outcome_.is_told() && UdpDriver::now() < last) {
    std::this_thread::sleep_for(between_looks);
    unless_broken([this] { driver_.loop().act([] {}); });
  }
}

}  // namespace lbsp::transport
