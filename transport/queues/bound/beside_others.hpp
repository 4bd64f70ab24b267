#pragma once

#include <cstddef>

#include "transport/queues/queue_round.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// The rate into a queue that others hold, and do not make shorter when this rank gives way: what came through, a step
/// more, and less the longer the queue is. Where it never runs empty, it looks shorter than it is. So the
/// rate is no higher than what a Cubic TCP would send in the rank's place, unless delays vary for other reasons and
/// little is lost.
class BesideOthers {
 public:
  /// What is known of a round.
  struct Round {
    double carried;          ///< what came through, bytes per second
    double own_loss;         ///< of datagrams that met no queue
    double tolerated_queue;  ///< seconds
    double round_trip;       ///< the least, seconds
    std::size_t datagram_bytes;
    bool varying;  ///< delays (DelayJumps)
  };

  bool held() const { return held_; }
  /// Others hold the queue, beside whom so much comes through.
  void begin(double carried, Instant now);
  /// The queue has become empty.
  void end() { held_ = false; }
  /// For the next round, in bytes per second.
  double rate_after(const QueueSeen& seen, const Round& round);

 private:
  double like_tcp(const QueueSeen& seen, const Round& round);

  bool held_ = false;
  double loss_ = 0;      ///< since then, a mean
  double like_tcp_ = 0;  ///< bytes per second, …
  Instant seen_at_{};    ///< … after what was sent until then
};

}  // namespace lbsp::transport
