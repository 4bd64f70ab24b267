#include "lbsp/job/watch.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <unistd.h>
#include <utility>

#include "transport/blocked_signals.hpp"
#include "transport/error.hpp"

namespace lbsp::job {
namespace {

constexpr std::chrono::milliseconds progress_interval{500};

}  // namespace

Watch::Watch(Channel& channel, std::vector<Member*> members, bool progress)
    : channel_(channel), members_(std::move(members)), seen_(members_.size()) {
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
  auto next = progress ? Clock::now() + progress_interval : Clock::time_point::max();
  while (!channel_.stopped()) {
    if (const auto frame = channel_.receive(next)) {
      for (Member* member : members_)
        pass_on(*frame, *member);
    }
    if (channel_.stopped() || Clock::now() < next) continue;
    tell_progress();
    next = Clock::now() + progress_interval;
  }
}

void Watch::pass_on(const Frame& frame, Member& member) {
  switch (frame.kind) {
    case FrameKind::account:
      return member.report_so_far();
    case FrameKind::look:
      return member.show();
    case FrameKind::lost:
      return member.take_notice(from_payload<LossNotice>(frame.payload));
    default:
      throw Error("the launcher speaks out of turn");
  }
}

void Watch::tell_progress() {
  for (std::size_t place = 0; place < members_.size(); ++place) {
    const ObservedExchange& exchange = members_[place]->exchange();
    const Progress progress = exchange.progress();
    Seen& seen = seen_[place];
    const bool stays = progress == std::exchange(seen.last, progress);
    const bool leads =
        members_[place]->leads() && (!seen.told || progress.supersteps != seen.told->supersteps);
    if ((!stays && !leads) || seen.told == progress) continue;
    seen.told = progress;
    channel_.send({FrameKind::progress, static_cast<std::uint16_t>(place), to_payload(progress)});
  }
}

}  // namespace lbsp::job
