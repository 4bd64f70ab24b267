#include "lbsp/dataflow/planning/estimates.hpp"

#include <algorithm>

namespace lbsp::dataflow::planning {

Ticks Estimates::move(std::uint64_t length, std::span<const Worker> holders) const {
  Ticks least = longest_ticks;
  for (const Worker holder : holders)
    least = std::min(least, send[static_cast<std::size_t>(holder)].of(length));
  return least;
}

}  // namespace lbsp::dataflow::planning
