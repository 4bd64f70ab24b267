#pragma once

#include <algorithm>

#include "transport/queues/queue_round.hpp"

namespace lbsp::transport {

/// The loss of a path itself: of datagrams that met no queue.
class OwnLoss {
 public:
  /// `usual`: what is expected until more is known.
  void begin(double usual);
  /// Takes a round; `no_queue`: its datagrams met none.
  void note(const QueueSeen& seen, bool no_queue);

  /// What seemed to meet no queue did.
  void forget() { own_ = std::min(own_, usual_); }

  bool known() const { return known_; }
  double value() const { return own_; }
  /// What was lost in a round beyond that.
  double excess(const QueueSeen& seen) const { return (seen.loss - own_) / (1 - own_); }

 private:
  bool known_ = false;
  double usual_ = 0;
  double own_ = 0;
  double all_ = 0;  ///< of datagrams of late, whatever they met
};

}  // namespace lbsp::transport
