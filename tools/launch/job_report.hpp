#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lbsp/job/messages.hpp"
#include "tools/launch/options.hpp"
#include "tools/launch/placement.hpp"
#include "tools/launch/superstep_times.hpp"

namespace lbsp::launch {

/// What a job cost, gathered from its ranks' reports.
class JobReport {
 public:
  JobReport(const RunOptions& options, const Placement& placement);

  /// The job has no more ranks than these. Before any report.
  void set_size(Rank size);

  void add(Rank rank, const job::Steps& steps);
  void add(Rank rank, const job::RankReport& report);
  /// What a rank has done that is not at its end. Its report, if it still comes, takes the place.
  void add_unfinished(Rank rank, const job::RankReport& report);
  /// The job has not come to its end, and why.
  void set_unfinished(const std::string& reason) { reason_ = reason; }

  bool finished() const { return !reason_; }
  /// Only of a job that is not finished.
  const std::string& reason() const { return *reason_; }
  /// How many ranks have told what they did, to the end or not.
  Rank reported() const;
  /// All ranks have reported.
  bool complete() const { return missing_ == 0; }
  /// True if any rank found the answer right and none found it wrong.
  std::optional<bool> verified() const;

  const RunOptions& options() const { return options_; }
  const Placement& placement() const { return placement_; }
  /// Of how many ranks the job was.
  Rank size() const { return static_cast<Rank>(ranks_.size()); }
  std::string host_of(Rank rank) const;

  /// None of a rank that has told nothing.
  const std::optional<job::RankReport>& rank(Rank rank) const {
    return ranks_[static_cast<std::size_t>(rank)];
  }
  /// One entry a superstep, or a record of several (see History): the longest times, the largest h and the
  /// sum of the traffic of all ranks. Of a job that has not come to its end, the supersteps that all ranks have
  /// in common which have told anything.
  std::span<const SuperstepFigures> steps() const;
  /// The supersteps in an entry of steps().
  job::SuperstepRange range(std::size_t step) const;

  std::uint64_t supersteps() const;
  /// Of the slowest rank, from its first superstep to its last.
  Seconds total() const;
  /// Of the slowest rank: what joining took before, and what leaving took at the end of the total.
  Seconds start() const;
  Seconds end() const;
  /// The sum over steps() of the slowest rank's, as the BSP model counts it; what is left of the total is
  /// communication, waiting for others' messages included.
  Seconds compute() const;
  Seconds communicate() const;
  /// Sum over the ranks.
  transport::TrafficCounters traffic() const;
  /// Loss over all datagrams, round-trip time and bandwidth the mean of the ranks that measured them.
  transport::NetworkMeasure network() const;
  /// Mean number of planned transmissions of a segment, repairs apart.
  double mean_copies() const;
  /// The most that were planned for any segment; 0 if no rank has told.
  int most_copies() const;
  /// What was predicted for the communication, for each entry of steps() and in all.
  const SuperstepTimes& times() const { return times_; }
  std::optional<Prediction> prediction() const { return times_.total(steps().size()); }
  /// Whom the others waited for when the job was ended, and for how long.
  struct Standstill {
    std::vector<Rank> ranks;
    Seconds waited{0};
  };
  /// None if no rank had waited for long.
  std::optional<Standstill> standstill() const;
  /// Payload over the time communicating, of all ranks together.
  transport::BytesPerSecond goodput() const;

 private:
  RunOptions options_;
  Placement placement_;
  std::vector<std::optional<job::RankReport>> ranks_;
  std::vector<std::uint64_t> told_;    ///< by rank: supersteps in the records that it has told
  std::vector<Seconds> step_compute_;  ///< by rank: the sum over what is in steps_
  std::vector<SuperstepFigures> steps_;
  std::uint64_t steps_each_ = 1;  ///< supersteps in an entry of steps_
  std::uint64_t in_steps_ = 0;    ///< supersteps in all of steps_
  SuperstepTimes times_;
  std::vector<bool> at_its_end_;  ///< by rank
  Rank missing_;
  std::optional<std::string> reason_;
};

}  // namespace lbsp::launch
