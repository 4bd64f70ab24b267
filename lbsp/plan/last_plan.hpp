#pragma once

#include <span>
#include <vector>

#include "transport/redundancy.hpp"

namespace lbsp::plan {

/// The plan of the last leg, for legs of short messages that are so much like it that to plan them anew would take
/// longer than a better plan could save. That is so on fast links only: where a round trip takes 8 µs, planning takes a
/// tenth of the superstep.
class LastPlan {
 public:
  /// Whether the plan is also this leg's: it has the same messages, of a segment each, and what is known of their paths
  /// has changed by less, as a part of itself, than planning takes of the round trip.
  bool is_for(const transport::LegOutline& leg) const;
  std::span<const transport::MessagePlan> plans() const { return plans_; }

  /// Of a leg that was planned.
  void keep(const transport::LegOutline& leg, std::span<const transport::MessagePlan> plans);
  void forget() { messages_.clear(); }

 private:
  std::vector<transport::PlannedMessage> messages_;
  std::vector<transport::MessagePlan> plans_;
  Rank size_ = 0;
  transport::BytesPerSecond rate_;
};

}  // namespace lbsp::plan
