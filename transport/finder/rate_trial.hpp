#pragma once

#include <optional>

#include "transport/finder/rate_epoch.hpp"
#include "transport/finder/usual_path.hpp"
#include "transport/paths/heavy_loss.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// A rate has fallen, and is compared with the one before: the fall was right if a greater part comes through, or less
/// is lost.
struct RateTrial {
  using Verdict = HeavyLoss::Trial::Verdict;

  static constexpr double certainty = 2.5;  ///< standard deviations, that a fall has helped
  /// Lost beyond what is usual, it means that a rate was too high.
  static constexpr double loss_of_failure = 0.05;

  struct LowerRate {
    BytesPerSecond rate;
    bool told;     ///< the rate before, and it is believed
    bool policed;  ///< loss has depended on the rate
  };
  /// An epoch at the lower rate is over. Of a told rate the next one may be needed, too.
  Verdict add(const RateEpoch& epoch, const UsualPath& usual, const LowerRate& lower);
  /// Where others flood the link, too, they take what this rank leaves, but less is lost.
  bool loses_less(const RateEpoch& epoch, double usual_loss) const;
  /// The rate before was too high: it lost more than this epoch, and that is no chance.
  bool was_too_high(const RateEpoch& epoch) const;

  BytesPerSecond before;  ///< the rate to return to
  BytesPerSecond known;   ///< the same, or a higher one that was carried before other trials
  RateEpoch seen;         ///< at that rate …
  PartSeen carried;       ///< … and what came through
  int epochs = 0;         ///< since
  PartSeen since = {};    ///< the mean over these
  std::optional<HeavyLoss::Trial> deep = {};

 private:
  Verdict of_found(const RateEpoch& epoch, const UsualPath& usual, const LowerRate& lower) const;
  Verdict of_told(const PartSeen& now);
};

}  // namespace lbsp::transport
