#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lbsp/job/messages.hpp"
#include "tools/launch/report/superstep_times.hpp"

namespace lbsp::launch::report {

/// What all ranks of a job tell of its supersteps, in records of one superstep or of several (see History).
class StepRecords {
 public:
  explicit StepRecords(Rank ranks);

  /// The job has no more ranks than these. Before any record.
  void set_size(Rank ranks);
  /// What cannot be of this job is left out. Returns whether the rank has told of later supersteps than before.
  bool add(Rank rank, const job::Steps& steps);
  /// The rank has ended: it tells of no more supersteps than it has told of.
  void end(Rank rank) { heard_[static_cast<std::size_t>(rank)] = true; }

  /// One entry for each record: the longest times, the largest h and the sum of the traffic of all ranks. Where
  /// some ranks have told of fewer supersteps than others, those that all have in common which have told
  /// anything.
  std::span<const SuperstepFigures> steps() const;
  /// The supersteps in an entry of steps().
  job::SuperstepRange range(std::size_t step) const;
  /// The sum over all records of the slowest rank's, as the BSP model counts it …
  Seconds compute() const;
  /// … and of this rank's.
  Seconds compute_of(Rank rank) const { return compute_[static_cast<std::size_t>(rank)]; }
  /// What was predicted for the communication, for each entry of steps() and in all.
  const SuperstepTimes& times() const { return times_; }
  std::optional<Prediction> prediction() const { return times_.total(steps().size()); }

 private:
  std::vector<bool> heard_;                 ///< by rank
  std::vector<std::uint64_t> heard_until_;  ///< by rank: supersteps that it has told of, left out or not
  std::vector<std::uint64_t> told_;         ///< by rank: supersteps in the records that it has told
  std::vector<Seconds> compute_;            ///< by rank: the sum over what is in steps_
  std::vector<SuperstepFigures> steps_;
  std::uint64_t steps_each_ = 1;  ///< supersteps in an entry of steps_
  std::uint64_t in_steps_ = 0;    ///< supersteps in all of steps_
  SuperstepTimes times_;
};

}  // namespace lbsp::launch::report
