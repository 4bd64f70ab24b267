#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "transport/units.hpp"

namespace lbsp::transport {

/// How late a rank acts, because its processors have much else to do. The other ranks there are as late, and so are
/// their answers: whoever asks again before has them do still more. Who was late but once was stopped, and has nothing
/// to wait for then.
class Lateness {
 public:
  /// It acts now, and had to so much before; or what has come then has waited in its socket.
  void note(Duration late, Instant now) {
    if (late < least) return;
    late = std::min(late, most);
    if (now - newest_.at < one_pause) {
      newest_.late = std::max(newest_.late, late);
      return;
    }
    before_ = newest_;
    newest_ = {late, now};
  }
  /// The lesser of the last two times, half of it after every half_life; 0 on a host that is not overloaded.
  Duration of(Instant now) const { return std::min(before_.left(now), newest_.left(now)); }

 private:
  /// Timers and their quantum are that late anywhere.
  static constexpr Duration least = std::chrono::milliseconds{20};
  static constexpr Duration most = std::chrono::seconds{1};
  /// What is noted within such a time has been late together.
  static constexpr Duration one_pause = std::chrono::milliseconds{50};
  static constexpr Duration half_life = std::chrono::seconds{1};
  static constexpr std::int64_t most_halvings = 16;

  struct Pause {
    Duration late{0};
    Instant at{};

    Duration left(Instant now) const {
      if (late == Duration{0} || now <= at) return late;
      const auto halvings = (now - at) / half_life;
      return halvings < most_halvings ? late / (std::int64_t{1} << halvings) : Duration{0};
    }
  };

  Pause before_;
  Pause newest_;
};

}  // namespace lbsp::transport
