#pragma once

#include <chrono>
#include <map>

#include "transport/units.hpp"

namespace lbsp::launch {

/// Of the processes that take one rank's place one after another: whether all of them crash soon after they have come,
/// as the next one would.
class CrashLoop {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int most_crashes = 5;
  /// A process that has lived for longer has not crashed because of how it began.
  static constexpr std::chrono::minutes soon{1};

  /// The process in that rank's place has crashed. Returns whether that was the last of most_crashes in a row, each
  /// soon after the one before.
  bool crashed(Rank rank, Clock::time_point now);

 private:
  struct Row {
    int crashes = 0;
    Clock::time_point last{};
  };
  std::map<Rank, Row> rows_;
};

}  // namespace lbsp::launch
