#pragma once

#include "transport/units.hpp"

namespace lbsp::transport {

/// Whether this process has not run for long (it was stopped, or its host was) and may not have read yet all that came
/// meanwhile.
class OwnSleep {
 public:
  explicit OwnSleep(Duration peer_timeout) : peer_timeout_(peer_timeout) {}

  /// To be called often: who has not looked for half of the peer timeout has slept.
  void look(Instant now) {
    if (last_look_ != never && now - last_look_ >= peer_timeout_ / 2) awake_since_ = now;
    last_look_ = now;
  }
  /// For a quarter of the peer timeout.
  bool is_just_over(Instant now) const {
    return awake_since_ != never && now - awake_since_ < peer_timeout_ / 4;
  }

 private:
  Duration peer_timeout_;
  Instant last_look_ = never;
  Instant awake_since_ = never;
};

}  // namespace lbsp::transport
