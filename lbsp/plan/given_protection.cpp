#include "lbsp/plan/given_protection.hpp"

#include <algorithm>
#include <vector>

#include "lbsp/plan/outline.hpp"
#include "lbsp/plan/protocol.hpp"
#include "lbsp/plan/rounds.hpp"
#include "model/superstep/prediction.hpp"
#include "model/superstep/rounding.hpp"

namespace lbsp::plan {

using model::superstep::Messages;
using model::superstep::Protection;
using model::superstep::Superstep;
using transport::MessagePlan;

MessagePlan GivenProtection::plan_of(std::uint32_t segments) const {
  MessagePlan plan{.copies = options_.copies};
  if (segments == 1) return plan;
  if (options_.longer_copies > 0) plan.copies = options_.longer_copies;
  if (options_.repair_segments)
    plan = {.copies = 1, .repair_segments = *options_.repair_segments, .coded = true};
  if (options_.protected_tail > 0)
    plan.first_protected = segments - std::min(segments, options_.protected_tail);
  return plan;
}

double GivenProtection::seconds_of(const Superstep& superstep, transport::Recovery recovery) const {
  if (recovery != transport::Recovery::receiver)
    return seconds_in_rounds(superstep, recovery, options_.copies);
  std::vector<Protection> protections;
  for (const Messages& kind : superstep.messages) {
    const MessagePlan plan = plan_of(static_cast<std::uint32_t>(kind.segments));
    protections.push_back({.copies = plan.copies,
                           .repair_segments = plan.repair_segments,
                           .first_protected = static_cast<int>(plan.first_protected),
                           .coded = plan.coded});
  }
  return model::superstep::predict(superstep, protections, protocol()).seconds;
}

transport::LegForecast GivenProtection::plan(const transport::LegOutline& leg, std::span<MessagePlan> plans) {
  if (leg.messages.empty()) return {};
  for (std::size_t i = 0; i < plans.size(); ++i)
    plans[i] = plan_of(leg.messages[i].segments);
  if (!can_forecast(leg)) return {};
  const Superstep superstep = model::superstep::rounded(superstep_of(leg));
  if (superstep != forecast_for_) {
    forecast_for_ = superstep;
    forecast_ = seconds_of(superstep, leg.recovery);
  }
  return forecast_of(forecast_);
}

int GivenProtection::repairs_for(int lacking, int earlier, const transport::PathForecast& path) const {
  return planned_repairs(lacking, earlier, path);
}

}  // namespace lbsp::plan
