#pragma once

#include <algorithm>

#include "transport/units.hpp"

namespace lbsp::transport {

/// When this process did not run, as it was stopped, or its host was busy: what the others sent meanwhile still waits,
/// and its sleep is not their silence.
class OwnPauses {
 public:
  OwnPauses(Duration peer_timeout, Instant now) : peer_timeout_(peer_timeout), last_look_(now) {}

  /// To be called whenever something happens, and at next_look(). Returns for how long it has slept if that was so
  /// long that others' silence must not count; else 0.
  Duration look(Instant now) {
    const Duration slept = now - last_look_;
    last_look_ = std::max(last_look_, now);
    if (slept >= peer_timeout_ / parts_of_pause) paused_until_ = now;
    return slept >= peer_timeout_ / 2 ? slept : Duration{0};
  }
  /// It has not read yet all that came while it did not run: whom it has not heard may have spoken.
  bool is_just_over(Instant now) const { return now - paused_until_ < peer_timeout_ / parts_of_reading; }
  Instant all_read_at() const { return paused_until_ + peer_timeout_ / parts_of_reading; }
  Instant next_look() const { return last_look_ + peer_timeout_ / looks; }

 private:
  /// So many times in the peer timeout a process looks at the time, so that it knows when it slept.
  static constexpr int looks = 8;
  /// Who has not looked at the time for such a part of the peer timeout did not run …
  static constexpr int parts_of_pause = 5;
  /// … and needs such a part of it to read what has come meanwhile.
  static constexpr int parts_of_reading = 64;

  Duration peer_timeout_;
  Instant last_look_;
  Instant paused_until_{};  ///< the last time
};

}  // namespace lbsp::transport
