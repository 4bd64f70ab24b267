#pragma once

#include "lbsp/collectives/choice.hpp"
#include "lbsp/dataflow/ticks.hpp"
#include "transport/traffic.hpp"
#include "transport/units.hpp"

namespace lbsp::dataflow::running {

/// What a stream costs that a rank sends, by what it has measured.
class TransferCost {
 public:
  /// `network` is taken until there are measurements; `memory` where there are no datagrams.
  TransferCost(Rank ranks, const CollectiveNetwork& network, const Transfer& memory)
      : ranks_(ranks), assumed_(network), memory_(memory) {}

  /// How much longer the expected superstep is with the stream than without it. Computed anew, in up to 1 ms, only
  /// where a measurement has changed by a tenth.
  Transfer of(const transport::NetworkMeasure& measured);
  /// How long a superstep is expected to take in which nobody sends anything, by the same measurement.
  Ticks of_nothing() const { return nothing_; }

 private:
  CollectiveNetwork network_of(const transport::NetworkMeasure& measured) const;

  Rank ranks_;
  CollectiveNetwork assumed_;
  Transfer memory_;
  bool known_ = false;
  CollectiveNetwork last_;
  Transfer cost_;
  Ticks nothing_ = 0;
};

}  // namespace lbsp::dataflow::running
