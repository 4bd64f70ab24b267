#include "lbsp/job/member/watch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>
#include <unistd.h>
#include <utility>

#include "lbsp/job/memory_end.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"
#include "transport/process/blocked_signals.hpp"
#include "transport/process/thread_start.hpp"

namespace lbsp::job::member {
namespace {

constexpr std::chrono::milliseconds interval{500};
constexpr std::chrono::milliseconds to_look{30};

}  // namespace

Watch::Watch(Channel& channel, std::vector<Member*> members, bool progress)
    : channel_(channel),
      members_(std::move(members)),
      seen_(members_.size()),
      may_lack_states_(
          std::ranges::any_of(members_, [](const Member* member) { return member->lacks_states(); })) {
  const transport::BlockedSignals blocked;
  thread_ = transport::start_thread("the launcher's notices", [this, progress] {
    try {
      run(progress);
    } catch (const std::bad_alloc&) {
      LastWord::say();
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
  const auto next_look = [&] {
    return progress || may_lack_states_ ? Clock::now() + interval : Clock::time_point::max();
  };
  auto next = next_look();
  while (!channel_.stopped()) {
    if (const auto frame = channel_.receive(next)) {
      for (Member* member : members_)
        pass_on(*frame, *member);
    }
    if (channel_.stopped() || Clock::now() < next) continue;
    if (progress) tell_progress();
    if (may_lack_states_) tell_of_missing_states();
    next = next_look();
  }
}

void Watch::pass_on(const Frame& frame, Member& member) {
  switch (frame.kind) {
    case FrameKind::account:
      return member.account().report_so_far();
    case FrameKind::look:
      // What it says is known since it was asked before.
      if (member.exchange().progress().waiting && member.held().awaited().empty())
        std::this_thread::sleep_for(to_look);
      return member.account().show();
    case FrameKind::lost:
      return member.held().take_notice(from_payload<LossNotice>(frame.payload));
    case FrameKind::departed:
      return member.held().take_departures(ranks_in(frame));
    default:
      print_error("the launcher speaks out of turn: use the same lbsp everywhere");
      ::_exit(1);
  }
}

void Watch::tell_of_missing_states() {
  const auto lacks = [](const Member* member) { return member->lacks_states(); };
  may_lack_states_ = std::ranges::any_of(members_, lacks);
  for (Member* member : members_) {
    const auto problem = member->missing_states();
    if (!problem || !member->held().leads()) continue;
    print_error(*problem);
    may_lack_states_ = false;
  }
}

void Watch::tell_progress() {
  for (std::size_t place = 0; place < members_.size(); ++place) {
    const ObservedExchange& exchange = members_[place]->exchange();
    Seen& seen = seen_[place];
    Progress progress = exchange.progress();
    const bool stays = progress == std::exchange(seen.last, progress);
    if (progress.waiting) progress.awaited = members_[place]->held().awaited();
    const bool leads =
        members_[place]->held().leads() && (!seen.told || progress.supersteps != seen.told->supersteps);
    if ((!stays && !leads) || seen.told == progress) continue;
    seen.told = progress;
    channel_.send({FrameKind::progress, static_cast<std::uint16_t>(place), to_payload(progress)});
  }
}

}  // namespace lbsp::job::member
