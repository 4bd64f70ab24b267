#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/traffic.hpp"

namespace lbsp {

using Seconds = std::chrono::duration<double>;

/// What one superstep cost one rank.
struct SuperstepFigures {
  Seconds compute{0};      ///< from the end of the previous sync() to the call of this one
  Seconds communicate{0};  ///< in sync()
  std::uint64_t h = 0;     ///< max of the bytes of messages this rank sent to and received from the others
  transport::TrafficCounters traffic;  ///< between the ends of the previous sync() and of this one
  /// What was planned for this sync(). In totals, the sum of the durations and the most copies.
  transport::Forecast forecast{};
};

/// The figures of one rank's supersteps: the first `kept` one by one, all of them in the totals.
class History {
 public:
  static constexpr std::size_t default_kept = 100'000;

  explicit History(std::size_t kept = default_kept) : kept_(kept) {}

  void add(const SuperstepFigures& superstep);

  /// What happened after the last superstep: in the totals, but not counted as a superstep.
  void add_end(const SuperstepFigures& end);

  std::uint64_t supersteps() const { return supersteps_; }
  /// Sums over all supersteps and the end.
  const SuperstepFigures& totals() const { return totals_; }
  /// The oldest supersteps, in order.
  const std::vector<SuperstepFigures>& records() const { return records_; }

 private:
  std::size_t kept_;
  std::uint64_t supersteps_ = 0;
  SuperstepFigures totals_;
  std::vector<SuperstepFigures> records_;
};

}  // namespace lbsp
