#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace lbsp::transport {

/// The part of a rate that came through, and its standard deviation.
struct PartSeen {
  double part = 1;
  double error = 0;
};

/// Judges loss that is too heavy to be taken for a path's own: whether less is lost where much less is sent.
///
/// Where several flood one link, each sees about the same loss, whatever it sends itself: if of four that send as much
/// one sends a quarter, it loses 69 % instead of 75. One epoch does not tell that from chance, several do.
class HeavyLoss {
 public:
  /// Of datagrams. Up to so much passes for a path's own without a trial.
  static constexpr double least = 0.3;
  /// Of the rate: what a trial sends.
  static constexpr double part_on_trial = 0.25;

  class Trial;

  /// An epoch at the rate in use is over.
  void note(double loss, const PartSeen& carried) {
    if (loss <= least) {
      *this = {};
    } else {
      seen_.add(carried);
    }
  }
  /// Long enough to be compared with another rate.
  bool lasts() const { return seen_.epochs >= epochs_to_last; }
  Trial trial() const;

 private:
  static constexpr int epochs_to_last = 3;

  /// A mean over epochs, of late.
  struct Mean {
    static constexpr int most_epochs = 8;

    void add(const PartSeen& carried) {
      epochs = std::min(epochs + 1, most_epochs);
      of.part += (carried.part - of.part) / epochs;
      of.error += (carried.error - of.error) / epochs;
    }
    double error() const { return of.error / std::sqrt(epochs); }

    PartSeen of{0, 0};
    int epochs = 0;
  };

  Mean seen_;
};

/// A lower rate is tried.
class HeavyLoss::Trial {
 public:
  enum class Verdict : std::uint8_t { open, mistaken, right };

  /// An epoch at that rate is over. Right: a greater part of it comes through.
  Verdict add(const PartSeen& carried) {
    since_.add(carried);
    if (since_.epochs < epochs_of_trial) return Verdict::open;
    const double gain = since_.of.part - before_.of.part;
    const double chance = certainty * std::hypot(since_.error(), before_.error());
    return gain > std::max(least_gain, chance) ? Verdict::right : Verdict::mistaken;
  }

 private:
  friend class HeavyLoss;
  static constexpr int epochs_of_trial = 6;
  static constexpr double least_gain = 0.03;
  static constexpr double certainty = 2;  ///< standard deviations

  explicit Trial(const Mean& before) : before_(before) {}

  Mean before_;
  Mean since_ = {};
};

inline HeavyLoss::Trial HeavyLoss::trial() const {
  return Trial(seen_);
}

}  // namespace lbsp::transport
