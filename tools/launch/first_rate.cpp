#include "tools/launch/first_rate.hpp"

#include <algorithm>

namespace lbsp::launch {
namespace {

/// What most hosts' uplinks carry: where a rank begins that has to find its rate.
constexpr transport::BytesPerSecond cautious_rate = transport::megabits_per_second(100);

}  // namespace

FirstRate first_rate(const RunOptions& options, std::optional<transport::BytesPerSecond> known) {
  const bool pretended = options.wan && options.wan->rate;
  const transport::BytesPerSecond rate = known.value_or(cautious_rate);
  return {.rate = pretended ? std::min(rate, *options.wan->rate) : rate, .find = !known && !pretended};
}

void limit_rate(RunOptions& options, const Placement& placement, const KnownNetwork* known) {
  if (options.rate_given) return;
  const auto lowest = known != nullptr ? known->rate() : std::nullopt;
  const bool leaves = placement.leaves_this_machine();
  if (!lowest && !leaves) return;
  const FirstRate first = first_rate(options, lowest);
  options.exchange.rate = first.rate;
  options.exchange.find_rate = first.find;
  // The rounds of the paper's schemes are as long for all, and have no rate for each path.
  if (!lowest || options.exchange.recovery != transport::Recovery::receiver) return;
  for (Rank rank = 0; rank < placement.size; ++rank) {
    const auto own = known->rate_from(rank);
    options.rates.push_back(own || leaves ? own : lowest);
  }
}

}  // namespace lbsp::launch
