#pragma once

#include "tools/launch/options.hpp"

namespace lbsp::launch {

/// Throws UsageError if two of the options cannot be had together.
void check_combinations(const RunOptions& options);

}  // namespace lbsp::launch
