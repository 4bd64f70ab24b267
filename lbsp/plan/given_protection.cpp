#include "lbsp/plan/given_protection.hpp"

#include <algorithm>

#include "lbsp/plan/protocol.hpp"

namespace lbsp::plan {

using transport::MessagePlan;

transport::LegForecast GivenProtection::plan(const transport::LegOutline& leg, std::span<MessagePlan> plans) {
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const std::uint32_t segments = leg.messages[i].segments;
    plans[i] = {.copies = options_.copies};
    if (segments == 1) continue;
    if (options_.longer_copies > 0) plans[i].copies = options_.longer_copies;
    if (options_.repair_segments)
      plans[i] = {.copies = 1, .repair_segments = *options_.repair_segments, .coded = true};
    if (options_.protected_tail > 0)
      plans[i].first_protected = segments - std::min(segments, options_.protected_tail);
  }
  return {};
}

int GivenProtection::repairs_for(int lacking, int earlier, const transport::PathForecast& path) const {
  return planned_repairs(lacking, earlier, path);
}

}  // namespace lbsp::plan
