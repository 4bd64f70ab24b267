#pragma once

#include "lbsp/world.hpp"
#include "tools/programs/matmul/matmul_arguments.hpp"
#include "tools/programs/outcome.hpp"

namespace lbsp::programs::matmul {

/// All that matmul does between its arguments and its output: makes or reads the factors, multiplies,
/// verifies if asked to, and writes the product unless it was found wrong. All ranks call it together.
///
/// The time is that of the multiplication on the slowest rank, input, output and verification apart. A
/// product is verified if its relative error against rank 0's own, in the Frobenius norm, is at most
/// k·epsilon of the precision, k being the columns of A. One that holds NaN or infinity never is.
///
/// Throws UsageError: P is not a square, or a file is wrong; the latter on rank 0 alone.
Outcome matmul_job(World& world, const MatmulArguments& arguments);

}  // namespace lbsp::programs::matmul
