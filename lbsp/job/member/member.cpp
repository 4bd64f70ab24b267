#include "lbsp/job/member/member.hpp"

#include <utility>

#include "lbsp/job/endings/failure.hpp"
#include "lbsp/job/messages.hpp"
#include "transport/error.hpp"
#include "transport/thrown.hpp"

namespace lbsp::job::member {

Member::Member(std::unique_ptr<transport::Exchange> exchange, Tell tell, Survival survival)
    : tell_(std::move(tell)),
      failures_(tell_),
      changes_(tell_),
      carried_(std::move(survival)),
      held_(std::move(exchange)),
      observed_(held_.get(),
                [this](std::string_view reason) { failures_.tell_abort(observed_.rank(), reason); }),
      account_(tell_, observed_, held_) {
  observed_.when_it_may_grow([this] { tell_(FrameKind::grows, {}); });
}

void Member::come_to(const transport::WorldChange& change) {
  changes_.tell(change, {});
  carried_.come_to(change);
  observed_.begin_world(change.epoch);
}

bool Member::run(const std::function<void(World&)>& program) {
  Outcome outcome = Outcome::world_changed;
  while (outcome == Outcome::world_changed)
    outcome = run_in_world(program);
  leave();
  return outcome == Outcome::finished;
}

Member::Outcome Member::run_in_world(const std::function<void(World&)>& program) {
  World world(observed_, carried_);
  tell_when_resumed();
  account_.watch(world);
  std::exception_ptr thrown;
  try {
    try {
      program(world);
      if (observed_.forks().is_child()) end_child(nullptr);
      carried_.require_kept();
      const Seconds done = world.time();
      world.finish();
      account_.left_in(world.time() - done);
    } catch (const WorldChanged& changed) {
      changes_.tell(changed.change(), world.totals_so_far().sync_began);
      const Progress progress = observed_.progress();
      tell_(FrameKind::left, to_payload(LeftWorld{.epoch = changed.change().epoch,
                                                  .supersteps = progress.supersteps - progress.before_world,
                                                  .keeps_all = carried_.has_luggage(),
                                                  .reached = carried_.reached(),
                                                  .state = carried_.state_of(changed.change().boundary)}));
      carried_.change_to(changed.change());
      observed_.begin_world(changed.change().epoch);
      leave_world(world, world.time());
      return Outcome::world_changed;
    }
  } catch (...) {
    thrown = std::current_exception();
  }
  if (observed_.forks().is_child()) end_child(thrown);
  if (thrown) fail(thrown);
  account_.report(world, world.time());
  return thrown ? Outcome::failed : Outcome::finished;
}

void Member::end_child(const std::exception_ptr& thrown) {
  const std::string what = thrown ? "threw \"" + describe_thrown(thrown) + "\"" : "returned from it";
  observed_.forks().end_child(observed_.rank(), what);
}

void Member::tell_when_resumed() {
  if (!carried_.roster().change()) return;
  const std::uint32_t epoch = carried_.roster().epoch();
  observed_.when_next_is_complete([this, epoch] { changes_.tell_resumed(epoch); });
}

void Member::leave_world(const World& world, Seconds ran) {
  account_.leave_world(world, ran, changes_.changed_at());
}

std::string Member::fail(const std::exception_ptr& thrown) {
  Failure failure = endings::failure_by(thrown, observed_.aborted_here());
  failures_.tell(failure);
  if (!failure.consequence) observed_.abort(failure.message);
  return std::move(failure.message);
}

}  // namespace lbsp::job::member
