#pragma once

#include "transport/units.hpp"

namespace lbsp::transport {

/// How long trains of late waited for their rate, from the first datagram that did to the end of the train.
class HeldTrains {
 public:
  /// A datagram waits.
  void wait(Instant now) {
    if (since_ == never) since_ = now;
  }
  /// Nothing more is to be sent.
  void end(Instant now) {
    const Duration held = since_ == never ? Duration{0} : now - since_;
    mean_ += (held - mean_) / 8;
    since_ = never;
  }
  Duration mean() const { return mean_; }

 private:
  Instant since_ = never;
  Duration mean_{0};
};

}  // namespace lbsp::transport
