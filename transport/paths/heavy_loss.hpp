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
/// one sends a quarter, it loses 69 % instead of 75. One epoch does not tell that from chance, several do. Those that
/// made the rate doubtful were bad ones, and do not tell what is usual at it: others follow them.
class HeavyLoss {
 public:
  /// Of datagrams. Up to so much passes for a path's own without a trial.
  static constexpr double least = 0.3;
  /// Of the rate: what a trial sends.
  static constexpr double part_on_trial = 0.25;

  class Trial;

  /// An epoch at the rate in use is over.
  void note(double loss) { epochs_ = loss <= least ? 0 : epochs_ + 1; }
  /// A slightly lower rate has not helped: the next epoch with as much is worth a trial.
  void expect() { epochs_ = epochs_to_last - 1; }
  /// Long enough to be worth a trial.
  bool lasts() const { return epochs_ >= epochs_to_last; }

 private:
  static constexpr int epochs_to_last = 3;

  int epochs_ = 0;  ///< in a row
};

/// Compares the rate with a lower one.
class HeavyLoss::Trial {
 public:
  enum class Verdict : std::uint8_t { open, lower, mistaken, right };

  /// An epoch is over, at the rate itself until this says `lower`, and then at the part of it that is on trial. Right:
  /// a greater part of that comes through. Mistaken: the loss is the path's own.
  Verdict add(const PartSeen& carried) {
    Mean& now = at_rate_.epochs < epochs_of_each ? at_rate_ : lower_;
    now.add(carried);
    if (at_rate_.epochs < epochs_of_each) return Verdict::open;
    if (lower_.epochs == 0) return Verdict::lower;
    const double gain = lower_.of.part - at_rate_.of.part;
    const double chance = std::hypot(lower_.error(), at_rate_.error());
    if (gain > std::max(clear_gain * (1 - at_rate_.of.part), clear_certainty * chance)) return Verdict::right;
    if (lower_.epochs < epochs_of_each) return Verdict::open;
    return gain > std::max(least_gain, certainty * chance) ? Verdict::right : Verdict::mistaken;
  }

 private:
  static constexpr int epochs_of_each = 6;
  static constexpr double least_gain = 0.03;
  static constexpr double certainty = 2;  ///< standard deviations
  /// Half of what was missed comes through, and that is no chance: the trial need not go on.
  static constexpr double clear_gain = 0.5;
  static constexpr double clear_certainty = 4;

  struct Mean {
    void add(const PartSeen& carried) {
      ++epochs;
      of.part += (carried.part - of.part) / epochs;
      of.error += (carried.error - of.error) / epochs;
    }
    double error() const { return of.error / std::sqrt(epochs); }

    PartSeen of{0, 0};
    int epochs = 0;
  };

  Mean at_rate_;
  Mean lower_;
};

}  // namespace lbsp::transport
