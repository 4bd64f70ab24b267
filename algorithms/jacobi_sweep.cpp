#include "algorithms/jacobi_sweep.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace lbsp::algorithms {
namespace {

void sweep_row(const double* __restrict from, double* __restrict to, std::size_t stride, std::size_t count) {
  const double* const above = from - stride;
  const double* const below = from + stride;
  for (std::size_t j = 0; j < count; ++j)
    to[j] = 0.25 * ((above[j] + below[j]) + (from[j - 1] + from[j + 1]));
}

/// Absolute values in the order of their bits, in which a NaN is above infinity and that above all others: so
/// the maximum shows them.
std::uint64_t largest_change(const double* from, const double* to, std::size_t count) {
  std::uint64_t largest = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const auto change = std::bit_cast<std::uint64_t>(std::fabs(to[j] - from[j]));
    largest = change > largest ? change : largest;
  }
  return largest;
}

}  // namespace

void jacobi_sweep(const SweepGrids& grids, const Rectangle& region) {
  for (std::size_t row = region.rows.begin; row < region.rows.end(); ++row) {
    const std::size_t begin = row * grids.stride + region.columns.begin;
    sweep_row(grids.from.data() + begin, grids.to.data() + begin, grids.stride, region.columns.count);
  }
}

double watched_jacobi_sweep(const SweepGrids& grids, const Rectangle& region, const Rectangle& watched) {
  std::uint64_t largest = 0;
  for (std::size_t row = region.rows.begin; row < region.rows.end(); ++row) {
    const std::size_t begin = row * grids.stride + region.columns.begin;
    sweep_row(grids.from.data() + begin, grids.to.data() + begin, grids.stride, region.columns.count);
    if (row < watched.rows.begin || row >= watched.rows.end()) continue;
    const std::size_t first = row * grids.stride + watched.columns.begin;
    const std::uint64_t change =
        largest_change(grids.from.data() + first, grids.to.data() + first, watched.columns.count);
    largest = change > largest ? change : largest;
  }
  return std::bit_cast<double>(largest);
}

}  // namespace lbsp::algorithms
