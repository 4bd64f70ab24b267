#include "transport/fixed_redundancy.hpp"

namespace lbsp::transport {
namespace {

constexpr int few = 32;
constexpr int first_factor = 2;
constexpr int later_factor = 3;

}  // namespace

LegForecast FixedRedundancy::plan(const LegOutline& leg, std::span<MessagePlan> plans) {
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const bool coded = coded_ && leg.messages[i].segments > 1;
    plans[i] = {.copies = coded ? 1 : copies_,
                .repair_segments = coded ? repair_segments_ : 0,
                .first_protected = 0,
                .coded = coded};
  }
  return {};
}

int FixedRedundancy::repairs_for(int lacking, int earlier, const PathForecast& /*path*/) const {
  if (lacking > few) return lacking;
  return lacking * (earlier == 0 ? first_factor : later_factor);
}

}  // namespace lbsp::transport
