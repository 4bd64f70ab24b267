#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "lbsp/job/messages.hpp"

namespace lbsp::launch {

/// What was predicted for the communication of some supersteps, and what it took.
struct Prediction {
  Seconds predicted{0};
  Seconds measured{0};
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
class SuperstepTimes {
 public:
  explicit SuperstepTimes(int ranks) : clocks_(static_cast<std::size_t>(ranks)) {}

  /// A rank's supersteps in order; what is out of order or beyond those that a rank keeps is left out.
  void add(Rank rank, const job::Steps& steps);

  /// None if no rank predicted anything for the superstep. The longest of the ranks' predictions counts, as
  /// the slowest rank does.
  std::optional<Prediction> prediction(std::size_t superstep) const;
  /// Sum over all supersteps that have one; none if none has.
  std::optional<Prediction> total() const;

 private:
  struct Span {
    Seconds predicted{0};
    Seconds last_begin{0};
    Seconds last_end{0};
  };
  struct RankClock {
    std::uint64_t supersteps = 0;
    Seconds now{0};
  };

  std::vector<Span> spans_;
  std::vector<RankClock> clocks_;
};

}  // namespace lbsp::launch
