#pragma once

#include "transport/redundancy.hpp"

namespace lbsp::transport {

/// The same protection for every message, whatever is measured: k copies, or r coded segments for each block.
class FixedRedundancy final : public RedundancyPlanner {
 public:
  explicit FixedRedundancy(int copies) : copies_(copies) {}
  /// Messages of one segment get `copies`, longer ones `repair_segments` for each block.
  FixedRedundancy(int copies, int repair_segments)
      : copies_(copies), repair_segments_(repair_segments), coded_(true) {}

  LegForecast plan(const LegOutline& leg, std::span<MessagePlan> plans) override;
  /// Twice as many as lack the first time, then thrice: a repair that is lost costs a round trip more, and a
  /// receiver is already waiting. Many at once are a burst or a full queue: just as many.
  int repairs_for(int lacking, int earlier, const PathForecast& path) const override;

 private:
  int copies_;
  int repair_segments_ = 0;
  bool coded_ = false;
};

}  // namespace lbsp::transport
