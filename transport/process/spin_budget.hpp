#pragma once

#include <algorithm>

namespace lbsp::transport {

/// How many times a waiting rank looks before it yields its processor. It follows what the last waits came to: looking
/// on is best where the others come within a microsecond, and takes their processor away where they do not run.
class SpinBudget {
 public:
  static constexpr int least = 16;
  static constexpr int trial = 64;
  /// From one trial to the next; after trials in vain twice as many, and so on.
  static constexpr int fewest_waits = 64;
  static constexpr int most_waits = 4096;

  /// `at_first`: whether there is a processor for each rank. `most`: what takes longer than to sleep and be woken.
  SpinBudget(bool at_first, int most)
      : most_(most), trial_(at_first ? most : std::min(trial, most)), looks_(at_first ? most : 0) {}

  /// For the next wait.
  int looks() {
    if (looks_ > 0 || ++waits_ < waits_between_trials_) return looks_;
    waits_ = 0;
    return trial_;
  }
  /// What the wait came to, after `looks` of them.
  void succeeded(int looks) {
    looks_ = std::min(most_, 2 * std::max(looks_, looks));
    waits_between_trials_ = fewest_waits;
  }
  void failed() {
    if (looks_ == 0) waits_between_trials_ = std::min(most_waits, 2 * waits_between_trials_);
    looks_ = looks_ / 4 < least ? 0 : looks_ / 4;
  }

 private:
  int most_;
  /// Where there is a processor for each, long enough for one who sleeps to wake up: two who wait for each other would
  /// else sleep for good.
  int trial_;
  int looks_;
  int waits_ = 0;  ///< since the last trial
  int waits_between_trials_ = fewest_waits;
};

}  // namespace lbsp::transport
