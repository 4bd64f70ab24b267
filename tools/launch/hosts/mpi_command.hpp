#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "lbsp/job/messages.hpp"
#include "tools/launch/places/placement.hpp"
#include "tools/launch/request/options.hpp"

namespace lbsp::launch::hosts {

/// What follows `mpirun` on the command line that has Open MPI start a job's ranks. `mark` is the one that
/// their frames are to bear, `program` a path. Throws UsageError for what mpirun cannot be told.
std::vector<std::string> mpi_arguments(const request::RunOptions& options, const places::Placement& placement,
                                       const std::string& mark, const std::string& program);

/// How long mpirun, started so, waits for a sign of life of a host's daemon.
std::chrono::milliseconds mpirun_patience(transport::Duration peer_timeout);

}  // namespace lbsp::launch::hosts
