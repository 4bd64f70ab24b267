#include "lbsp/job/watch.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "transport/blocked_signals.hpp"
#include "transport/error.hpp"

namespace lbsp::job {
namespace {

constexpr std::chrono::milliseconds progress_interval{500};

}  // namespace

Watch::Watch(Channel& channel, std::vector<Member*> members, bool progress)
    : channel_(channel), members_(std::move(members)) {
  const transport::BlockedSignals blocked;
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
