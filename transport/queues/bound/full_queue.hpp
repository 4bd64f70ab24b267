#pragma once

#include <optional>

#include "transport/queues/queue_round.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Tells what a queue holds that is full and short, so that it would not count as one that stands.
///
/// A queue is full of which much is lost at once, or which is there in every round for long: at a rate that does not
/// change it would else grow or become empty.
class FullQueue {
 public:
  /// Where delays vary, a queue that is there for long is only full if so much is lost besides.
  static constexpr double drops_where_delays_vary = 0.01;

  /// What is known beside a round.
  struct Context {
    double usual;     ///< a queue as long as this stands, seconds
    double own_loss;  ///< of datagrams that met no queue
    double excess;    ///< lost beyond that
    Duration round_trip;
    bool varying;     ///< delays (DelayJumps)
    bool sends_long;  ///< enough for what is lost to be judged, and for the queue to last
    bool bounded;     ///< the rate, so it changes
  };

  /// Takes a round.
  void note(const QueueSeen& seen, const Context& context);
  /// Seconds.
  std::optional<double> holds() const { return holds_; }
  /// Much was lost in the last rounds, and some datagrams met a queue. So it is full, however short it looks: who has
  /// come to it while it was full takes it for a part of the path, and datagrams far apart tell little of a queue of a
  /// few.
  bool overflows() const { return rounds_of_drops_ >= rounds_of_overflow; }

 private:
  /// By chance a path that loses 10 % loses so much of eight datagrams in one round of 200, and seldom in two.
  static constexpr int rounds_of_overflow = 2;

  void note_lasting(const QueueSeen& seen, const Context& context);

  int rounds_of_drops_ = 0;  ///< the last ones, in each of which much was lost
  std::optional<double> holds_;
  std::optional<Instant> since_;  ///< the queue is there in every round …
  double shortest_ = 0;           ///< … and so long at least, seconds
  double dropped_ = 0;            ///< of late, beyond what is lost without a queue
};

}  // namespace lbsp::transport
