#pragma once

#include <algorithm>
#include <optional>

#include "transport/queues/bound/mean_loss.hpp"

namespace lbsp::transport {

/// What the paths to a downlink lose of their own: the mean of rounds without a queue, and no more than that of all. A
/// single round tells little: one of few datagrams often loses none by chance.
class DownlinkLoss {
 public:
  /// `usual`: what is expected until more is known.
  void begin(double usual) {
    if (!own_) own_ = all_ = usual;
  }
  bool known() const { return own_.has_value(); }
  /// To be asked when it is known.
  double own() const { return *own_; }
  /// Takes a round.
  void note(double loss, double datagrams, bool without_queue) {
    add_to_mean(all_, loss, datagrams);
    if (without_queue) add_to_mean(*own_, std::min(loss, most_), datagrams);
    own_ = std::min(*own_, all_ + chance_of_mean(all_));
  }
  /// A trial has shown that they lose so much.
  void find(double loss) { own_ = all_ = most_ = loss; }

 private:
  std::optional<double> own_;
  double all_ = 0;      ///< whether or not there was a queue
  double most_ = 0.15;  ///< that passes for own without a trial
};

}  // namespace lbsp::transport
