#pragma once

#include "lbsp/job/frame.hpp"
#include "tools/launch/hosts/job_hosts.hpp"
#include "tools/launch/ranks/job_processes.hpp"

namespace lbsp::launch {

/// Sends an empty frame of that kind to each process that has not told all it can tell.
void ask_ranks(hosts::JobHosts& hosts, const ranks::JobProcesses& processes, job::FrameKind kind);

}  // namespace lbsp::launch
