#include "algorithms/square_grid.hpp"

#include <cmath>
#include <fmt/format.h>

#include "transport/error.hpp"

namespace lbsp::algorithms {

SquareGrid::SquareGrid(Rank ranks) : side_(static_cast<int>(std::sqrt(ranks))) {
  if (side_ * side_ == ranks) return;
  throw UsageError(fmt::format("a square grid cannot be made of {} ranks: start {} or {}", ranks,
                               side_ * side_, (side_ + 1) * (side_ + 1)));
}

}  // namespace lbsp::algorithms
