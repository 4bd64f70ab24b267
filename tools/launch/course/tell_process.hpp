#pragma once

#include <string>

#include "lbsp/job/frame.hpp"
#include "lbsp/job/messages.hpp"
#include "tools/launch/hosts/job_hosts.hpp"
#include "tools/launch/ranks/job_process.hpp"
#include "tools/launch/ranks/job_processes.hpp"

namespace lbsp::launch::course {

/// Sends a process of the job a frame.
void tell(hosts::JobHosts& hosts, const ranks::JobProcess& process, job::FrameKind kind,
          const std::string& payload = {});

/// Starts it, and tells it how to begin.
void begin_process(hosts::JobHosts& hosts, const ranks::JobProcess& process, job::Welcome welcome);

/// Has it killed, if it has not ended.
void end_process(hosts::JobHosts& hosts, const ranks::JobProcess& process);

/// Sends an empty frame of that kind to each process that has not told all it can tell.
void ask_ranks(hosts::JobHosts& hosts, const ranks::JobProcesses& processes, job::FrameKind kind);

}  // namespace lbsp::launch::course
