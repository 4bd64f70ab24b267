#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "transport/queues/queue_round.hpp"

namespace lbsp::transport {

/// The loss of a path itself: of datagrams that met no queue.
///
/// A queue that has not been seen empty for long looks like none, and what it drops like the path's own loss. But the
/// higher the rate, the more it drops. So more than was known counts as the path's own at rates at which no more was
/// lost before; at a higher one it tells that the link is full.
class OwnLoss {
 public:
  /// What a queue was in a round.
  enum class Queue : std::uint8_t { none, little, stands };

  /// `usual`: what is expected until more is known.
  void begin(double usual);
  /// Takes a round.
  void note(const QueueSeen& seen, Queue queue);

  /// What seemed to meet no queue did.
  void forget() {
    own_ = std::min(own_, usual_);
    at_rate_ = std::min(at_rate_, usual_);
  }

  bool known() const { return known_; }
  double value() const { return own_; }
  /// The same as far as it has been shown: no more than was lost in all when least was. What is usual is a guess, which
  /// may be too high for as long as a queue stands.
  double shown() const { return std::min(own_, at_rate_); }
  /// What was lost in a round beyond value().
  double excess(const QueueSeen& seen) const { return (seen.loss - own_) / (1 - own_); }

  /// More is lost since the rate has risen, although no queue stands: this part of what was sent, beyond own loss and
  /// chance. Nothing: no more is.
  std::optional<double> risen_with_rate() const;
  /// The rate falls because of that, to so many bytes per second. What is lost at it is the path's own.
  void fell_to(double rate);

 private:
  bool known_ = false;
  double usual_ = 0;
  double own_ = 0;
  double at_rate_ = 0;        ///< at rate_ and less, no more than all_ has been
  double all_ = 0;            ///< a mean: of datagrams of late, whatever they met …
  double without_queue_ = 0;  ///< … and since a queue stood
  double counted_ = 0;        ///< datagrams, while no queue stood
  double rate_ = 0;           ///< the highest at which no more than at_rate_ was lost, bytes per second
};

}  // namespace lbsp::transport
