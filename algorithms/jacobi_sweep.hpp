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

/// One sweep of Jacobi for Laplace's equation over `region`, counted in the stored grid, which must have a
/// point on every side of it: each point becomes the mean of its four neighbours.
void jacobi_sweep(const SweepGrids& grids, const Rectangle& region);

/// The same, and returns the largest change of a point of `watched`, which lies within the region: the
/// residual of the old state. NaN or infinite if some change is.
double watched_jacobi_sweep(const SweepGrids& grids, const Rectangle& region, const Rectangle& watched);

}  // namespace lbsp::algorithms
