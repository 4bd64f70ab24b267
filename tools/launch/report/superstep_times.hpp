#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lbsp/job/messages.hpp"

namespace lbsp::launch::report {

/// What nine of ten take.
struct Interval {
  Seconds from{0};
  Seconds to{0};
};

/// By the plan alone, with the usual error of its mean.
Interval interval_of(const transport::Forecast& forecast);

/// What was predicted for the communication of some supersteps, and what it took.
struct Prediction {
  Seconds planned{0};  ///< by the plans, as if hosts took no time
  /// With what the hosts added to earlier supersteps (model::superstep::CalibratedForecast) …
  Seconds predicted{0};
  /// … as nine of ten take: the prediction is within.
  Interval interval;
  Seconds measured{0};
  std::uint64_t supersteps = 0;  ///< that it is of
  /// (predicted - measured) / measured; 0 if nothing was measured.
  double error() const;
};

/// When a superstep's communication began and ended, over all ranks.
///
/// A prediction is for the time from the moment when all ranks have begun to that when the slowest has
/// all. So that is what is measured: from the last rank's call of sync() to the last rank's return. Ranks
/// tell durations only; each rank's clock counts from the launcher's word to start, which all get at about
/// the same time. Where some get it later, a superstep's measure errs, but by no more than that and never
/// below what the last rank waited, and the sum over supersteps does not.
///
/// A record of several supersteps is measured as one superstep is: from when the last rank would have begun,
/// had each computed all of the record first.
class SuperstepTimes {
 public:
  explicit SuperstepTimes(int ranks) : clocks_(static_cast<std::size_t>(ranks)) {}

  void set_size(int ranks) { clocks_.resize(static_cast<std::size_t>(ranks)); }

  /// A rank's records in order, all of equally many supersteps; what is out of order or more than a rank keeps
  /// is left out.
  void add(Rank rank, const job::Steps& steps);

  /// Of the first `records`; none where no rank predicted anything for a record. The longest of the ranks'
  /// predictions counts, as the slowest rank does.
  std::vector<std::optional<Prediction>> predictions(std::size_t records = History::most_records) const;
  /// Sum over those of the first `records` that have one; none if none has. Supersteps vary independently in it.
  std::optional<Prediction> total(std::size_t records = History::most_records) const;

 private:
  struct Span {
    transport::Forecast predicted;  ///< the longest
    Seconds last_begin{0};
    Seconds last_end{0};
    std::uint64_t supersteps = 0;

    Seconds measured() const { return last_end - last_begin; }
  };
  struct RankClock {
    std::uint64_t records = 0;
    Seconds now{0};
  };

  template <class Visit>
  void visit_predicted(std::size_t records, Visit visit) const;

  std::vector<Span> spans_;
  std::vector<RankClock> clocks_;
};

}  // namespace lbsp::launch::report
