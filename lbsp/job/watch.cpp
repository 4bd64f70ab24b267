#include "lbsp/job/watch.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include "transport/error.hpp"

namespace lbsp::job {
namespace {

constexpr std::chrono::milliseconds progress_interval{500};

/// The program's signal handlers run on the program's threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

Watch::Watch(Channel& channel, const ObservedExchange* progress) : channel_(channel) {
  const SignalsBlocked blocked;
  thread_ = std::thread([this, progress] {
    try {
      run(progress);
    } catch (const Error&) {
      ::_exit(1);
    }
  });
}

Watch::~Watch() {
  channel_.stop_receiving();
  thread_.join();
}

void Watch::run(const ObservedExchange* progress) {
  using Clock = Channel::Clock;
  std::uint64_t told = 0;
  while (!channel_.stopped()) {
    const auto deadline = progress != nullptr ? Clock::now() + progress_interval : Clock::time_point::max();
    if (channel_.receive(deadline)) throw Error("the launcher speaks out of turn");
    if (channel_.stopped() || progress == nullptr || progress->supersteps() == told) continue;
    told = progress->supersteps();
    channel_.send({FrameKind::progress, 0, fmt::format("{}", told)});
  }
}

}  // namespace lbsp::job
