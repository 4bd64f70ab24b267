#include "lbsp/job/member/member.hpp"

#include <fmt/format.h>
#include <utility>

#include "lbsp/job/endings/failure.hpp"
#include "lbsp/job/messages.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"
#include "transport/thrown.hpp"

namespace lbsp::job::member {

Member::Member(std::unique_ptr<transport::Exchange> exchange, Tell tell, Survival survival)
    : tell_(std::move(tell)),
      carried_(std::move(survival)),
      inner_(std::move(exchange)),
      observed_(*inner_, [this](std::string_view reason) { tell_abort(reason); }) {
  observed_.when_it_may_grow([this] { tell_(FrameKind::grows, {}); });
}

void Member::come_to(const transport::WorldChange& change) {
  take_note(change, {});
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
  watch(world);
  std::exception_ptr thrown;
  try {
    try {
      program(world);
      if (observed_.forks().is_child()) end_child(nullptr);
      carried_.require_kept();
      const Seconds done = world.time();
      world.finish();
      end_ = world.time() - done;
    } catch (const WorldChanged& changed) {
      take_note(changed.change(), world.totals_so_far().sync_began);
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
  report(world);
  return thrown ? Outcome::failed : Outcome::finished;
}

void Member::end_child(const std::exception_ptr& thrown) {
  const std::string what = thrown ? "threw \"" + describe_thrown(thrown) + "\"" : "returned from it";
  observed_.forks().end_child(observed_.rank(), what);
}

/// A superstep that more than one change has kept from being complete began with the first of them.
void Member::take_note(const Changed& change,
                       std::optional<std::chrono::steady_clock::time_point> sync_began) {
  for (const Changed& each : transport::one_by_one(change))
    tell_(FrameKind::changed, to_payload(each));
  changed_at_ = std::chrono::steady_clock::now();
  if (!in_vain_since_) in_vain_since_ = sync_began;
}

void Member::tell_when_resumed() {
  if (!carried_.roster().change()) return;
  const std::uint32_t epoch = carried_.roster().epoch();
  observed_.when_next_is_complete([this, epoch] {
    std::optional<transport::Duration> waited;
    if (in_vain_since_) waited = changed_at_ - *in_vain_since_;
    in_vain_since_.reset();
    tell_(FrameKind::resumed,
          to_payload(Resumed{epoch, std::chrono::steady_clock::now() - changed_at_, waited}));
  });
}

void Member::leave_world(const World& world, Seconds ran) {
  const std::lock_guard lock(telling_);
  world_ = nullptr;
  // In no superstep's figures, as that was never complete.
  if (const auto began = world.totals_so_far().sync_began) earlier_.waiting += changed_at_ - *began;
  earlier_.supersteps += world.history().supersteps();
  earlier_.total += ran;
  earlier_.totals += world.history().totals();
}

std::string Member::fail(const std::exception_ptr& thrown) {
  Failure failure = endings::failure_by(thrown, observed_.aborted_here());
  tell_failure(failure);
  if (!failure.consequence) observed_.abort(failure.message);
  return std::move(failure.message);
}

void Member::tell_failure(const Failure& failure) {
  if (failure_told_.exchange(true)) return;
  try {
    tell_(FrameKind::failure, to_payload(failure));
  } catch (...) {
    failure_told_ = false;
    throw;
  }
}

/// Before the others learn it: they end then, and whoever started them all ends this one too.
void Member::tell_abort(std::string_view reason) noexcept {
  if (failure_told_) return;
  try {
    const std::string message = printable(fmt::format("rank {} ended the job: {}", observed_.rank(), reason));
    tell_failure({.message = message, .consequence = false});
  } catch (const std::exception&) {
    // The launcher is gone: there is nobody to tell.
  }
}

void Member::watch(World& world) {
  if (steps_.traces()) world.trace();
  const std::lock_guard lock(telling_);
  world_ = &world;
  reported_ = false;
  began_ = std::chrono::steady_clock::now() -
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(world.time());
}

std::optional<transport::Duration> Member::network_thread_time() {
  if (!steps_.traces()) return std::nullopt;
  return observed_.network_thread_time();
}

void Member::leave() {
  std::unique_ptr<transport::Exchange> left;  // its end takes time, in which another thread may ask
  {
    const std::lock_guard lock(telling_);
    left = std::move(inner_);
  }
}

bool Member::leads() {
  const std::lock_guard lock(telling_);
  return inner_ && inner_->rank() == 0;
}

RankReport Member::so_far() const {
  const Progress progress = observed_.progress();
  RankReport report;
  report.supersteps = progress.supersteps;
  report.epoch = progress.epoch;
  report.before_world = progress.before_world;
  report.totals = earlier_.totals;
  const RunningTotals running = world_ != nullptr ? world_->totals_so_far() : RunningTotals{};
  report.totals += running.totals;
  const auto now = std::chrono::steady_clock::now();
  report.total = now - joined_;
  if (progress.waiting && running.sync_began) report.waiting = now - *running.sync_began;
  report.totals.communicate += report.waiting + earlier_.waiting;
  report.totals.compute = report.total - report.totals.communicate;
  if (inner_) report.network = inner_->network();
  if (world_ != nullptr) report.notes = world_->notes_so_far();
  return report;
}

void Member::report_so_far() {
  const std::lock_guard lock(telling_);
  if (reported_) return;
  if (world_ != nullptr) steps_.tell(tell_, world_->history_so_far(), observed_.size(), began_);
  RankReport report = so_far();
  report.start = start_;
  report.paths = steps_.path_counts();
  tell_(FrameKind::interim, to_payload(report));
}

void Member::show() {
  std::vector<Rank> awaited_now = awaited();
  const std::lock_guard lock(telling_);
  if (reported_) return;
  RankReport report = so_far();
  if (report.waiting > Seconds{0}) report.awaited = std::move(awaited_now);
  tell_(FrameKind::seen, to_payload(report));
}

void Member::take_notice(const LossNotice& notice) {
  const std::lock_guard lock(telling_);
  if (inner_) inner_->take_notice(notice);
}

void Member::report(const World& world, Seconds ran) {
  const std::lock_guard lock(telling_);
  reported_ = true;
  const History& history = world.history();
  SuperstepFigures totals = history.totals();
  totals += earlier_.totals;
  steps_.tell(tell_, history, observed_.size(), began_);
  const Progress progress = observed_.progress();
  tell_(FrameKind::report, to_payload(RankReport{.supersteps = earlier_.supersteps + history.supersteps(),
                                                 .epoch = progress.epoch,
                                                 .before_world = progress.before_world,
                                                 .total = earlier_.total + ran,
                                                 .start = start_,
                                                 .end = end_,
                                                 .totals = totals,
                                                 .network = observed_.network(),
                                                 .verified = world.verified(),
                                                 .traced_end = history.traced_end(),
                                                 .paths = steps_.path_counts(),
                                                 .network_thread = network_thread_time(),
                                                 .notes = world.notes()}));
}

}  // namespace lbsp::job::member
