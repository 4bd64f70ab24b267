#include "lbsp/plan/model_planner.hpp"

#include <algorithm>

#include "lbsp/plan/given_protection.hpp"
#include "lbsp/plan/outline.hpp"
#include "lbsp/plan/protocol.hpp"
#include "lbsp/plan/rounds.hpp"

namespace lbsp::plan {
namespace {

using model::superstep::Means;
using model::superstep::Path;
using model::superstep::Protection;
using model::superstep::Superstep;
using transport::LegForecast;
using transport::LegOutline;
using transport::MessagePlan;
using transport::PathForecast;
using transport::PlannedMessage;
using transport::Redundancy;

constexpr std::size_t most_known = 1024;

Means means_of(Redundancy redundancy) {
  return {.copies = redundancy != Redundancy::coded, .coded = redundancy != Redundancy::copies};
}

MessagePlan plan_of(const Protection& protection) {
  return {.copies = protection.copies,
          .repair_segments = protection.repair_segments,
          .first_protected = static_cast<std::uint32_t>(protection.first_protected),
          .coded = protection.coded};
}

}  // namespace

ModelPlanner::ModelPlanner(Redundancy redundancy) : means_(means_of(redundancy)) {}

ModelPlanner::Known& ModelPlanner::known_for(const Superstep& rounded) {
  const Superstep wanted = coarse(rounded);
  const auto known = known_.find(wanted);
  if (known != known_.end()) return known->second;
  const auto near =
      std::ranges::find_if(known_, [&](const auto& each) { return nearly_alike(each.first, rounded); });
  if (near != known_.end()) return near->second;
  if (known_.size() >= most_known) known_.clear();
  return known_.emplace(wanted, Known{{wanted, means_, protocol()}, {}, 0}).first->second;
}

LegForecast ModelPlanner::plan(const LegOutline& leg, std::span<MessagePlan> plans) {
  if (leg.messages.empty()) return {};
  const Superstep superstep = rounded(superstep_of(leg));
  if (leg.recovery != transport::Recovery::receiver) {
    const int copies = best_copies_in_rounds(superstep, leg.recovery);
    std::ranges::fill(plans, MessagePlan{.copies = copies});
    if (!can_forecast(leg)) return {};
    return forecast_of(seconds_in_rounds(superstep, leg.recovery, copies));
  }
  Known& known = known_for(superstep);
  Path last;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const PlannedMessage& message = leg.messages[i];
    const Path path = rounded(path_of(message.path));
    const bool as_last = i > 0 && message.segments == leg.messages[i - 1].segments &&
                         path.loss == last.loss && path.loss_after_loss == last.loss_after_loss;
    plans[i] = as_last ? plans[i - 1] : plan_of(known.choice.adapted(segments_of(message), path, protocol()));
    last = path;
  }
  if (!can_forecast(leg)) return {};
  if (known.forecast_for != superstep) {
    known.forecast_for = superstep;
    known.forecast = predict(superstep, known.choice.protection(), protocol()).seconds;
  }
  return forecast_of(known.forecast);
}

int ModelPlanner::repairs_for(int lacking, int earlier, const PathForecast& path) const {
  return planned_repairs(lacking, earlier, path);
}

std::unique_ptr<transport::RedundancyPlanner> make_planner(const transport::ExchangeOptions& options) {
  if (options.redundancy == Redundancy::fixed) return std::make_unique<GivenProtection>(options);
  return std::make_unique<ModelPlanner>(options.redundancy);
}

}  // namespace lbsp::plan
