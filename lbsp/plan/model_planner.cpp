#include "lbsp/plan/model_planner.hpp"

#include <algorithm>
#include <cmath>

#include "model/mathematics/special_functions.hpp"
#include "model/superstep/block_repair.hpp"

namespace lbsp::plan {
namespace {

using transport::MessagePlan;
using transport::PathForecast;
using transport::PlannedMessage;
using transport::Recovery;
using transport::Redundancy;

constexpr std::size_t most_known = 1024;
constexpr double most_loss = 0.9;
/// A path may fail this much more often than the others before it gets more redundancy than they.
constexpr double tolerated = 1.5;

Means means_of(Redundancy redundancy) {
  return {.copies = redundancy != Redundancy::coded, .coded = redundancy != Redundancy::copies};
}

int segments_of(const PlannedMessage& message) {
  return static_cast<int>(std::min<std::uint32_t>(message.segments, 1'000'000'000));
}

double block_fails(int segments, int coded, double loss) {
  const int blocks = (segments - 1) / transport::most_block_segments + 1;
  const int size = (segments + blocks - 1) / blocks;
  return model::mathematics::binomial_more_than(size + coded, loss, coded);
}

/// The protection of a kind for one of its messages: as sure to suffice on its own path, for its own length,
/// as the kind's is on a path like most.
MessagePlan adapted(const Protection& kind, const SuperstepShape& shape, const ShapeKind& of,
                    const PlannedMessage& message) {
  const int segments = segments_of(message);
  const double loss = rounded_loss(message.path.loss);
  const double after = rounded_loss_after_loss(message.path);
  MessagePlan plan;
  plan.coded = kind.coded;
  plan.copies = kind.copies;
  plan.repair_segments = kind.repair_segments;
  const int tail = of.segments - kind.first_protected;
  plan.first_protected =
      static_cast<std::uint32_t>(kind.first_protected == 0 ? 0 : std::max(0, segments - tail));
  const bool usual = loss == shape.loss && after == shape.loss_after_loss;
  if (kind.repair_segments > 0 && !(usual && segments == of.segments)) {
    const double target = tolerated * block_fails(of.segments, kind.repair_segments, shape.loss);
    int coded = kind.repair_segments;
    while (coded > 0 && block_fails(segments, coded - 1, loss) <= target)
      --coded;
    while (coded < transport::most_repair_segments && block_fails(segments, coded, loss) > target)
      ++coded;
    plan.repair_segments = coded;
  } else if (kind.repair_segments == 0 && !usual) {
    const double target = tolerated * shape.loss * std::pow(shape.loss_after_loss, kind.copies - 1);
    int copies = 1;
    for (double fails = loss; copies < transport::max_copies && fails > target; fails *= after)
      ++copies;
    // A long message that is not worth a copy is not worth it on any path.
    if (kind.copies > 1 || segments == 1) plan.copies = copies;
  }
  return plan;
}

bool alike(const PlannedMessage& a, const PlannedMessage& b) {
  return a.segments == b.segments && rounded_loss(a.path.loss) == rounded_loss(b.path.loss) &&
         rounded_loss_after_loss(a.path) == rounded_loss_after_loss(b.path);
}

}  // namespace

ModelPlanner::ModelPlanner(Redundancy redundancy) : means_(means_of(redundancy)) {}

ModelPlanner::KnownPlans::value_type& ModelPlanner::plan_for(const SuperstepShape& exact) {
  const SuperstepShape shape = coarse(exact);
  const auto known = known_.find(shape);
  if (known != known_.end()) return *known;
  const auto near = std::find_if(known_.begin(), known_.end(),
                                 [&](const auto& each) { return nearly_alike(each.first, exact); });
  if (near != known_.end()) return *near;
  if (known_.size() >= most_known) known_.clear();
  const bool receiver = shape.recovery == Recovery::receiver;
  return *known_
              .emplace(shape,
                       Known{receiver ? best_protection(shape, means_) : best_copies_in_rounds(shape), {}, 0})
              .first;
}

double ModelPlanner::forecast(const SuperstepShape& exact, Known& known) {
  if (known.forecast_for == exact) return known.forecast;
  known.forecast_for = exact;
  const std::vector<Protection>& kinds = known.plan.kinds;
  known.forecast = exact.recovery == Recovery::receiver ? predict(exact, kinds).seconds
                                                        : seconds_in_rounds(exact, kinds.front().copies);
  return known.forecast;
}

transport::LegForecast ModelPlanner::plan(const transport::LegOutline& leg, std::span<MessagePlan> plans) {
  if (leg.messages.empty()) return {};
  const SuperstepShape exact = shape_of(leg);
  auto& [shape, known] = plan_for(exact);
  const ShapePlan& best = known.plan;
  const bool rounds = leg.recovery != Recovery::receiver;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const std::size_t kind = shape.kind_of(segments_of(leg.messages[i]));
    if (rounds) {
      plans[i] = MessagePlan{.copies = best.kinds[kind].copies};
    } else if (i > 0 && alike(leg.messages[i], leg.messages[i - 1])) {
      plans[i] = plans[i - 1];
    } else {
      plans[i] = adapted(best.kinds[kind], shape, shape.kinds[kind], leg.messages[i]);
    }
  }
  const double nanoseconds = std::min(forecast(exact, known) * 1e9, 9e18);
  return {transport::Duration{static_cast<transport::Duration::rep>(nanoseconds)}};
}

int ModelPlanner::repairs_for(int lacking, int earlier, const PathForecast& path) const {
  return model::superstep::repairs_for(repair_rule(), lacking, earlier, std::clamp(path.loss, 0., most_loss));
}

std::unique_ptr<transport::RedundancyPlanner> make_planner(const transport::ExchangeOptions& options) {
  if (options.redundancy == Redundancy::fixed) return nullptr;
  return std::make_unique<ModelPlanner>(options.redundancy);
}

}  // namespace lbsp::plan
