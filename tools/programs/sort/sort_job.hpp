#pragma once

#include "lbsp/world.hpp"
#include "tools/programs/outcome.hpp"
#include "tools/programs/sort/sort_arguments.hpp"

namespace lbsp::programs::sort {

/// All that bitonic_sort does between its arguments and its output: makes or reads the keys, sorts, verifies
/// if asked to, and writes the keys unless they were found wrong. All ranks call it together.
///
/// The time is that of the sort on the slowest rank, input, output and verification apart. The keys are
/// verified if all ranks find them in order and a permutation of the input, and rank 0 finds every bit as
/// std::sort makes it of all of them.
///
/// Throws UsageError: P is no power of two, or a file is wrong; SystemError: too little memory.
Outcome sort_job(World& world, const SortArguments& arguments);

}  // namespace lbsp::programs::sort
