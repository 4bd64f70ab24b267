#pragma once

#include "lbsp/world.hpp"
#include "tools/programs/outcome.hpp"
#include "tools/programs/tasks/dataflow_arguments.hpp"

namespace lbsp::programs::tasks {

/// All that dataflow does between its arguments and its output: makes the graph, runs it, verifies if asked to, and
/// writes the result and the picture unless the result was found wrong. All ranks call it together.
///
/// The time is that of the graph with its plans and exchanges on the slowest rank, output and verification apart. A
/// product, a transform and a grid are verified as matmul's, fft2d's and jacobi's are.
///
/// Throws UsageError on all ranks if pieces and size do not fit.
Outcome dataflow_job(World& world, const DataflowArguments& arguments);

}  // namespace lbsp::programs::tasks
