#pragma once

#include "transport/redundancy.hpp"

namespace lbsp::transport {

/// Protects every message in the same way, whatever is measured: by k copies, or by r coded segments for each
/// block.
class FixedRedundancy final : public RedundancyPlanner {
 public:
  explicit FixedRedundancy(int copies) : copies_(copies) {}
  /// Messages of one segment get `copies` copies, longer ones `repair_segments` coded segments for each
  /// block.
  FixedRedundancy(int copies, int repair_segments)
      : copies_(copies), repair_segments_(repair_segments), coded_(true) {}

  LegForecast plan(const LegOutline& leg, std::span<MessagePlan> plans) override;
  /// Twice `lacking` the first time, then three times, because a lost repair costs a further round trip while
  /// the receiver waits. If many lack at once, just `lacking`, because many are a burst or a full queue.
  int repairs_for(int lacking, int earlier, const PathForecast& path) const override;

 private:
  int copies_;
  int repair_segments_ = 0;
  bool coded_ = false;
};

}  // namespace lbsp::transport
