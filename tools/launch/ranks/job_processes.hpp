#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "lbsp/job/messages.hpp"
#include "tools/launch/places/placement.hpp"
#include "tools/launch/ranks/job_process.hpp"
#include "transport/units.hpp"

namespace lbsp::launch::ranks {

/// The processes of a job, in the order of their ranks.
class JobProcesses {
 public:
  /// Each is of the host that has its first rank.
  JobProcesses(const std::vector<job::Spawn>& spawns, const places::Placement& placement);

  auto begin() { return processes_.begin(); }
  auto end() { return processes_.end(); }
  auto begin() const { return processes_.begin(); }
  auto end() const { return processes_.end(); }

  /// The process that has this rank; none: nullptr.
  JobProcess* of(Rank rank);
  /// That has this rank of the job's start, or has joined as it.
  JobProcess& holder(Rank rank);
  bool has_holder(Rank rank) const;
  /// A new process that is to take that one's place, and has not ended; none: nullptr.
  JobProcess* newcomer_for(Rank rank);
  /// The new process of that number, if it is to take that rank's place; else nullptr. It may have ended.
  JobProcess* newcomer_for(Rank rank, std::uint32_t number);
  /// Adds one, on that host.
  JobProcess& add_newcomer(const JobProcess& in_place_of, std::size_t host, const places::PlacedHost& placed);
  /// Adds one that joins.
  JobProcess& add_joining(Rank rank, std::size_t host, const places::PlacedHost& placed);
  /// It has got the place.
  void seat(JobProcess& newcomer);
  /// Whether any of the host's has not ended.
  bool any_on(std::size_t host) const;
  /// Those of a host that is gone have ended.
  void end_on(std::size_t host);

  bool all_ended() const;
  /// But those that are lost. See JobProcess::has_told().
  bool all_have_told() const;

 private:
  std::deque<JobProcess> processes_;  ///< references to them stay
};

}  // namespace lbsp::launch::ranks
