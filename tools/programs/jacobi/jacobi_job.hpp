#pragma once

#include "lbsp/world.hpp"
#include "tools/programs/jacobi/jacobi_arguments.hpp"
#include "tools/programs/outcome.hpp"

namespace lbsp::programs::jacobi {

/// All that jacobi does between its arguments and its output: makes or reads the grid, solves, verifies if
/// asked to, and writes the solution unless it was found wrong. All ranks call it together.
///
/// The time is that of the sweeps with their exchanges on the slowest rank; input, output and verification
/// apart. A solution is verified if its relative error against as many sweeps by rank 0 alone is at most
/// 1e-12.
///
/// Throws UsageError where a file is wrong, on rank 0 alone; Error where a value is not finite, or where no
/// number of sweeps is given and rounding keeps the grid from its tolerance.
Outcome jacobi_job(World& world, const JacobiArguments& arguments);

}  // namespace lbsp::programs::jacobi
