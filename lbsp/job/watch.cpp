#include "lbsp/job/watch.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>
#include <utility>

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

Watch::Watch(Channel& channel, std::vector<Member*> members, bool progress)
    : channel_(channel), members_(std::move(members)) {
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

void Watch::run(bool progress) {
  using Clock = Channel::Clock;
  std::uint64_t told = 0;
  while (!channel_.stopped()) {
    const auto deadline = progress ? Clock::now() + progress_interval : Clock::time_point::max();
    if (const auto frame = channel_.receive(deadline)) {
      if (frame->kind != FrameKind::account) throw Error("the launcher speaks out of turn");
      for (const Member* member : members_)
        member->report_so_far();
    }
    if (channel_.stopped() || !progress) continue;
    const std::uint64_t supersteps = members_.front()->exchange().supersteps();
    if (supersteps == told) continue;
    told = supersteps;
    channel_.send({FrameKind::progress, 0, fmt::format("{}", told)});
  }
}

}  // namespace lbsp::job
