#pragma once

#include <cstddef>
#include <span>

#include "algorithms/rectangle.hpp"

namespace lbsp::algorithms {

/// Two states of a grid that is stored row by row, `stride` values to a row.
struct SweepGrids {
  std::span<const double> from;
  std::span<double> to;
  std::size_t stride;
};

/// Makes one sweep of Jacobi's method for Laplace's equation over `region`: each point becomes the mean of
/// its four neighbours. `region` counts in the stored grid, which must have a point on every side of it.
void jacobi_sweep(const SweepGrids& grids, const Rectangle& region);

/// The same, and returns the largest change of a point of `watched`, which must lie within the region: the
/// residual of the old state. NaN or infinite if a change is.
double watched_jacobi_sweep(const SweepGrids& grids, const Rectangle& region, const Rectangle& watched);

}  // namespace lbsp::algorithms
