#pragma once

#include "transport/queues/queue_round.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Tells delays that jump about for other reasons than a queue from those of a queue. Where a bound has shown that they
/// do, no queue is believed in for a while.
class DelayJumps {
 public:
  /// What is known beside a round.
  struct Context {
    Duration round_trip;  ///< the least
    double datagram_bytes;
    Rank senders;  ///< ranks that send at this rate together
    double most;   ///< bytes per second: what was told, if it was, or the most that has come through of late
    bool varying;  ///< delays (vary)
    double through;  ///< bytes per second: the most that has come through of late
    bool bounded;    ///< by a queue
  };

  /// Of what comes through, so small a part leaves a queue long only if no rate makes it shorter.
  static constexpr double very_little = 0.25;
  /// Losses that no jitter makes.
  static constexpr double heavy_loss = 0.35;

  /// Whether delays vary for other reasons than a queue: they become longer at once. Then what looks like a queue is
  /// one only if it is long or drops much. Under a low bound they vary by no less than at `through`, the most bytes a
  /// second that have come through of late.
  static bool vary(const QueueSeen& seen, double datagram_bytes, double through);
  /// Whether this round's delays jump. Between the datagrams of a low bound there is more time, but it is not the
  /// link's: there they take as long as at `most`. Where they do not vary otherwise, what is long or drops much is a
  /// queue nevertheless.
  static bool in(const QueueSeen& seen, const Context& context);
  /// Whether they do so beyond doubt. A rank's datagrams meet those of others at random before each of their downlinks,
  /// and so their delays may jump for a round. Under a bound this takes three rounds in a row, or twice as much, unless
  /// delays vary.
  bool last(const QueueSeen& seen, const Context& context);

  /// Takes what a round has lost.
  void note_loss(const QueueSeen& seen);
  /// More of the last datagrams is lost than jitter and chance explain.
  bool lose_heavily() const { return lost_ > heavy_loss; }

  void begin_doubt(Instant now);
  bool doubted(Instant now) const { return now - doubted_at_ < doubt_; }

 private:
  static double usual(const Context& context);
  static bool of_bursts(const QueueSeen& seen, const Context& context);

  int rounds_ = 0;        ///< in a row
  double lost_ = 0;       ///< of the last datagrams, whether or not they met a queue
  Duration doubt_{0};     ///< no queue is believed in for so long …
  Instant doubted_at_{};  ///< … since then
};

}  // namespace lbsp::transport
