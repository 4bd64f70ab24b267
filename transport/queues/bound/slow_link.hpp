#pragma once

#include <optional>

#include "transport/paths/recent_most.hpp"
#include "transport/queues/queue_round.hpp"

namespace lbsp::transport {

/// A link that carries so few datagrams in a round trip that a queue is full with a few of them. Delays tell little
/// there, as one datagram changes them by more than what stands elsewhere; what is dropped tells more.
class SlowLink {
 public:
  /// `carried`: at the most of late, in bytes per second; none: what this path carries says little of the link, which
  /// is not taken to be slow then.
  void note(std::optional<double> carried, double round_trip, double datagram_bytes);

  /// A queue is no longer than this, in seconds, where just the rank's own datagrams meet. `rate`: what it sends.
  double own_queue(double rate) const;
  bool slow() const { return slow_; }
  /// What a rank sends at least, in bytes per second. `queue`: that it meets, in seconds.
  double least_rate(double queue) const;
  /// The part of its rate that it adds at most in a round (EqualSteps).
  double most_step() const;
  /// Takes what a round met.
  void met(const QueueSeen& seen) { longest_.add(seen.longest, seen.later_at); }
  /// Whether the queue had room for all of a slow link's round: it has been much longer of late. So it dropped none of
  /// them, and what was lost is the path's own loss.
  bool had_room(const QueueSeen& seen) const;
  /// Whether the queue has dropped some of a round, however short it looks.
  bool drops(const QueueSeen& seen, double own_loss) const;

 private:
  bool slow_ = false;
  RecentMost longest_;  ///< queue that a datagram met, seconds
  double carried_ = 0;
  double round_trip_ = 0;
  double datagram_bytes_ = 0;
};

}  // namespace lbsp::transport
