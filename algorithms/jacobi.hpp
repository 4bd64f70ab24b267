#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "algorithms/grid_blocks.hpp"
#include "lbsp/world.hpp"

namespace lbsp::algorithms {

/// When jacobi() stops: whichever comes first.
struct JacobiLimits {
  double tolerance = 0;            ///< residual at which it has converged; 0: never
  std::uint64_t sweeps = 0;        ///< the most sweeps
  std::uint64_t check_every = 10;  ///< sweeps between checks, rounded up to a multiple of the halo
};

struct JacobiResult {
  std::uint64_t sweeps = 0;
  double residual = 0;     ///< the largest change of any point in the last sweep
  bool converged = false;  ///< residual ≤ tolerance > 0
};

/// Laplace's equation ∂²f/∂x² + ∂²f/∂y² = 0 on a grid whose outermost points are given, by Jacobi's method:
/// every sweep sets each other point to the mean of its four neighbours. `grid` holds the first guess within,
/// and has the result in its own points in the end. All ranks call it together. The result is bit for bit the
/// same on any number of ranks, in any blocks and with any halo.
///
/// A grid with a halo of D points exchanges it once in D sweeps, and computes what it has of its neighbours'
/// points again in between: a D-th of the supersteps, D²·edge/2 more points for each edge of a block. That
/// pays where the network's delay is longer than those sweeps.
///
/// The residual travels in the same superstep as the halo, to every rank: checking costs no superstep.
///
/// Cost: ⌈sweeps/D⌉ supersteps with halos, and one with the last residual only, if it does not converge
/// before (if it does, the last one's halos go unused). With blocks of rows a superstep has c = 2(P-1) halo
/// messages, of D rows without their ends. 4 operations per point and sweep. Memory: twice the block with its
/// halo.
///
/// Throws UsageError on all ranks if the ranks disagree, the halo is 0 or `sweeps` is 0; Error on all ranks
/// if a value is not finite, at the next check. Source: the L-BSP paper, "Partial differential equation: the
/// Laplace's equation".
JacobiResult jacobi(World& world, GridBlock& grid, const JacobiLimits& limits);

/// The same by one process for a whole grid, `sweeps` sweeps written out plainly: what jacobi() is compared
/// with. Returns the residual.
double jacobi_alone(std::span<double> grid, std::size_t rows, std::size_t columns, std::uint64_t sweeps);

}  // namespace lbsp::algorithms
