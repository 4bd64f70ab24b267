#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "algorithms/grid_blocks.hpp"
#include "lbsp/steps.hpp"
#include "lbsp/world.hpp"

namespace lbsp::algorithms {

/// When jacobi() stops: at whichever limit comes first.
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

/// Solves Laplace's equation ∂²f/∂x² + ∂²f/∂y² = 0 on a grid whose outermost points are given, by Jacobi's
/// method: every sweep sets each other point to the mean of its four neighbours. `grid` holds the first
/// guess, and its own points hold the result in the end. All ranks call it together. The result is the same,
/// bit for bit, on any number of ranks, in any blocks and with any halo.
///
/// With a halo of D points the ranks exchange halos once in D sweeps, and each computes its neighbours'
/// points in the halo itself in between. That takes D times fewer supersteps, and D²·edge/2 more points for
/// each edge of a block in D sweeps. It gains time if the network's delay is longer than those sweeps.
///
/// The residual travels to every rank in the same superstep as the halo, so checking costs no superstep.
///
/// Cost: ⌈sweeps/D⌉ supersteps with halos, and one with only the last residual if it has not converged by
/// then. (If it has, the halos of the last superstep are not used.) With blocks of rows a superstep has c =
/// 2(P-1) halo messages, of D rows without their ends. 4 operations per point and sweep. Memory: twice the
/// block with its halo.
///
/// With `keep`, for a job that outlives its ranks (lbsp/steps.hpp), other hosts keep each rank's points before every
/// keep->every-th superstep. When ranks are lost, the others go on with their points in blocks of the new world, as all
/// do when ranks join; when new processes come in lost ones' places, in the same ones. The result stays the same, bit
/// for bit. A job may also begin again with what is on disk, with other limits and another halo. That takes two
/// supersteps more.
///
/// Throws UsageError on all ranks if the ranks disagree, the halo is 0 or `sweeps` is 0, or less than a state on disk
/// has had; and on the ranks whose boundary is not that of the states that were kept. Throws Error on all ranks, at the
/// next check, if a value is not finite. Source: the L-BSP paper, "Partial differential equation: the Laplace's
/// equation".
JacobiResult jacobi(World& world, GridBlock& grid, const JacobiLimits& limits,
                    const std::optional<Keep>& keep = {});

/// The same in one process for a whole grid: `sweeps` plain sweeps, for comparison with jacobi(). Returns the
/// residual.
double jacobi_alone(std::span<double> grid, std::size_t rows, std::size_t columns, std::uint64_t sweeps);

}  // namespace lbsp::algorithms
