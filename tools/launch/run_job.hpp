#pragma once

#include "tools/launch/request/options.hpp"

namespace lbsp::launch {

/// Runs the job from its first process to its report, with what is left to be chosen: the ranks, their places, and the
/// rate and the datagrams with which they begin. Returns the exit code for the user: 0 if every rank
/// came to its end and none found the answer wrong, 128 + N if a signal N ended it, or else 1, with the
/// reason on standard error. Throws UsageError or SystemError if nothing was started.
int run_job(const request::RunOptions& options);

}  // namespace lbsp::launch
