#pragma once

#include "transport/queues/queue_round.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Knows a queue that holds a few datagrams only, as that behind a policer's bucket. It drops what exceeds the link's
/// rate long before delays tell of that, so it is left to who goes by what is lost (PolicedRate).
class LittleQueue {
 public:
  /// What is known beside a round.
  struct Context {
    double datagram;  ///< its time on the link, in seconds
    double own_loss;  ///< of datagrams that met no queue
    double excess;    ///< what was lost beyond that
    bool slow;        ///< the link carries so few datagrams in a round trip that any queue is of a few
  };

  void note(const QueueSeen& seen, const Context& context);
  /// From when one has dropped much until some seconds later; not for a minute after a longer queue has stood.
  bool holds(Instant now) const { return now < until_; }

 private:
  Instant until_{};
  Instant longer_until_{};
};

}  // namespace lbsp::transport
