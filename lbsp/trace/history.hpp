#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lbsp/trace/figures.hpp"
#include "lbsp/trace/superstep_figures.hpp"
#include "lbsp/trace/superstep_records.hpp"
#include "transport/traffic.hpp"

namespace lbsp {

/// What a rank's supersteps have cost so far.
struct RunningTotals {
  SuperstepFigures totals;  ///< up to the last one that is over
  /// Of the sync, or the end of the job, that has not returned; none: the program computes.
  std::optional<std::chrono::steady_clock::time_point> sync_began;
};

/// The figures of one rank's supersteps in a bounded number of records, and the totals of all.
///
/// Each superstep has its own record until there are `most` of them. Then every two neighbours become one
/// record, and a record holds the sum of 2 supersteps; when there are `most` again, of 4, and so on. So the
/// records of any number of supersteps take less than 20 MB, and add up to all of them. Which supersteps share
/// a record depends on their number alone, so ranks that have done equally many share them alike.
class History {
 public:
  static constexpr std::size_t most_records = 100'000;

  /// `most` is at least 1.
  explicit History(std::size_t most = most_records) : most_(most) {}

  void add(const SuperstepFigures& superstep);
  /// What a trace has of the superstep that was added last; not needed where all of it is 0 and the network as before.
  void trace_last(const trace::Figures& traced);

  /// Adds what the last superstep's messages still cost after its sync() returned: datagrams that had to
  /// wait, and repairs.
  void credit_last(const transport::TrafficCounters& late);

  /// Adds what happened after the last superstep to the totals, without counting it as a superstep.
  void add_end(const SuperstepFigures& end);
  void trace_end(const trace::Figures& end) { traced_end_ = end; }

  std::uint64_t supersteps() const { return supersteps_; }
  /// The sums over all supersteps and the end.
  const SuperstepFigures& totals() const { return totals_; }
  /// In order; each is the sum of supersteps_each() supersteps, the last one of supersteps_in_last(). The
  /// duration forecast for a record is 0 if that for any superstep in it is not known.
  const SuperstepRecords& records() const { return records_; }
  /// What a trace has of the records from `first` to `end`, one for each.
  std::vector<trace::Figures> traced(std::size_t first, std::size_t end) const;
  /// The same of what no superstep has; none unless the job has come to its end and a trace is kept.
  const std::optional<trace::Figures>& traced_end() const { return traced_end_; }
  std::uint64_t supersteps_each() const { return each_; }
  std::uint64_t supersteps_in_last() const { return in_last_; }

 private:
  bool last_is_full() const { return in_last_ == each_; }
  struct Traced {
    std::size_t record = 0;
    trace::Figures figures;
  };

  void join_neighbours();
  void join_traced();

  std::size_t most_;
  std::uint64_t supersteps_ = 0;
  std::uint64_t each_ = 1;
  std::uint64_t in_last_ = 1;  ///< equal to each_ as long as there is no record
  SuperstepFigures totals_;
  SuperstepRecords records_;
  std::vector<Traced> traced_;  ///< by record, of those with something to trace
  std::optional<trace::Figures> traced_end_;
};

}  // namespace lbsp
