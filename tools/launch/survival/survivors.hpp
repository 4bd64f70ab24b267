#pragma once

#include "tools/launch/places/placement.hpp"
#include "tools/launch/request/options.hpp"

namespace lbsp::launch::survival {

/// Throws UsageError if the job's ranks could not go on without as many hosts as they are to survive the loss of. Each
/// rank counts as a host if all are on one.
void require_survivors(const request::RunOptions& options, const places::Placement& placement);

}  // namespace lbsp::launch::survival
