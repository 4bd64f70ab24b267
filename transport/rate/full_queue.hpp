#pragma once

#include <optional>

#include "transport/rate/queue_round.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Tells what a queue holds that is full and short, so that it would not count as one that stands.
///
/// A queue is full of which much is lost at once, or which is there in every round for long: at a rate that does not
/// change it would else grow or become empty.
class FullQueue {
 public:
  /// Under a rate that was told, a queue that is there for long is only full if so much is lost besides.
  static constexpr double drops_for_told = 0.01;

  /// What is known beside a round.
  struct Context {
    double usual;     ///< a queue as long as this stands, seconds
    double own_loss;  ///< of datagrams that met no queue
    double excess;    ///< lost beyond that
    Duration round_trip;
    bool told;        ///< the rate
    bool sends_long;  ///< enough for what is lost to be judged, and for the queue to last
    bool bounded;     ///< the rate, so it changes
  };

  /// Takes a round.
  void note(const QueueSeen& seen, const Context& context);
  /// Seconds.
  std::optional<double> holds() const { return holds_; }

 private:
  void note_lasting(const QueueSeen& seen, const Context& context);

  std::optional<double> holds_;
  std::optional<Instant> since_;  ///< the queue is there in every round …
  double shortest_ = 0;           ///< … and so long at least, seconds
  double dropped_ = 0;            ///< of late, beyond what is lost without a queue
};

}  // namespace lbsp::transport
