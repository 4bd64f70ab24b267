#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lbsp/job/frame.hpp"
#include "lbsp/job/messages.hpp"
#include "tools/launch/job_hosts.hpp"
#include "tools/launch/job_process.hpp"
#include "tools/launch/placement.hpp"
#include "transport/units.hpp"

namespace lbsp::launch {

/// The processes of a job, in the order of their ranks.
class JobProcesses {
 public:
  /// Each is of the host that has its first rank.
  JobProcesses(const std::vector<job::Spawn>& spawns, const Placement& placement);

  auto begin() { return processes_.begin(); }
  auto end() { return processes_.end(); }
  auto begin() const { return processes_.begin(); }
  auto end() const { return processes_.end(); }

  /// The process that has this rank; none: nullptr.
  JobProcess* of(Rank rank);
  /// Those of a host that is gone have ended.
  void end_on(std::size_t host);

  bool all_ended() const;
  /// See JobProcess::has_told().
  bool all_have_told() const;

 private:
  std::vector<JobProcess> processes_;
};

/// Sends an empty frame of that kind to each process that has not told all it can tell.
void ask_ranks(JobHosts& hosts, const JobProcesses& processes, job::FrameKind kind);

}  // namespace lbsp::launch
