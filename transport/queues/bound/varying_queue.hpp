#pragma once

#include "transport/queues/queue_round.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Where delays vary, tells a queue that is so long, or drops so much, that the rate is too high. Before a link that
/// carries just that rate one stands there too, and does no harm.
class VaryingQueue {
 public:
  /// Takes a round in which a queue stands. `excess`: what was lost beyond what is lost without a queue.
  bool is_too_long(const QueueSeen& seen, double excess, Duration round_trip);
  /// None stands, or there is a bound.
  void end() { long_rounds_ = 0; }

 private:
  int long_rounds_ = 0;
};

}  // namespace lbsp::transport
