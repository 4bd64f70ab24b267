#pragma once

#include "tools/launch/request/options.hpp"

namespace lbsp::launch::request {

/// Throws UsageError if two of the options cannot be had together.
void check_combinations(const RunOptions& options);

}  // namespace lbsp::launch::request
