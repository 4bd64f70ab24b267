#include "lbsp/job/member/account.hpp"

#include <vector>

namespace lbsp::job::member {

void Account::watch(World& world) {
  if (steps_.traces()) world.trace();
  const std::lock_guard lock(telling_);
  world_ = &world;
  reported_ = false;
  began_ = std::chrono::steady_clock::now() -
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(world.time());
}

void Account::leave_world(const World& world, Seconds ran, Time ended) {
  const std::lock_guard lock(telling_);
  world_ = nullptr;
  if (const auto began = world.totals_so_far().sync_began) earlier_.waiting += ended - *began;
  earlier_.supersteps += world.history().supersteps();
  earlier_.total += ran;
  earlier_.totals += world.history().totals();
}

std::optional<transport::Duration> Account::network_thread_time() {
  if (!steps_.traces()) return std::nullopt;
  return observed_.network_thread_time();
}

RankReport Account::so_far() const {
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
  if (const auto measured = exchange_.network()) report.network = *measured;
  if (world_ != nullptr) report.notes = world_->notes_so_far();
  return report;
}

void Account::report_so_far() {
  const std::lock_guard lock(telling_);
  if (reported_) return;
  if (world_ != nullptr) steps_.tell(tell_, world_->history_so_far(), observed_.size(), began_);
  RankReport report = so_far();
  report.start = start_;
  report.paths = steps_.path_counts();
  tell_(FrameKind::interim, to_payload(report));
}

void Account::show() {
  std::vector<Rank> awaited_now = exchange_.awaited();
  const std::lock_guard lock(telling_);
  if (reported_) return;
  RankReport report = so_far();
  if (report.waiting > Seconds{0}) report.awaited = std::move(awaited_now);
  tell_(FrameKind::seen, to_payload(report));
}

void Account::report(const World& world, Seconds ran) {
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
