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
  Seconds compute{0};                  ///< from the end of the previous sync() to the call of this one
  Seconds communicate{0};              ///< in sync()
  std::uint64_t h = 0;                 ///< bytes of messages to or from the other ranks, whichever is more
  transport::TrafficCounters traffic;  ///< from the call of this sync() to that of the next
  /// What was planned for this sync(). In totals: the sum of the durations, and the most copies.
  transport::Forecast forecast{};
};

/// The figures of one rank's supersteps: the first `kept` supersteps one by one, and the totals of all.
class History {
 public:
  static constexpr std::size_t default_kept = 100'000;

  explicit History(std::size_t kept = default_kept) : kept_(kept) {}

  void add(const SuperstepFigures& superstep);

  /// Adds what the last superstep's messages still cost after its sync() returned: datagrams that had to
  /// wait, and repairs.
  void credit_last(const transport::TrafficCounters& late);

  /// Adds what happened after the last superstep to the totals, without counting it as a superstep.
  void add_end(const SuperstepFigures& end);

  std::uint64_t supersteps() const { return supersteps_; }
  /// The sums over all supersteps and the end.
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
