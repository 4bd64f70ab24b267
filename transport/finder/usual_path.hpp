#pragma once

#include <algorithm>
#include <cstddef>

#include "transport/finder/rate_epoch.hpp"
#include "transport/paths/heavy_loss.hpp"

namespace lbsp::transport {

/// What is usual of a path, whatever the rate: what it loses, and how its delays vary. So it tells whether a queue grew
/// in an epoch, and which part of the rate came through, besides what is lost as usual.
class UsualPath {
 public:
  /// `loss`: what is expected. `told`: the rate is. Else more may become usual without a trial, up to HeavyLoss::least.
  UsualPath(double loss, bool told);

  double loss() const { return loss_; }
  /// A queue grew.
  bool queued(const RateEpoch& epoch) const;
  /// None has grown for long, as before a policer.
  bool no_queue() const { return without_queue_ > epochs_without_queue; }
  /// The part of the rate, less the usual loss, that came through.
  PartSeen carried(const RateEpoch& epoch) const { return carried(epoch, loss_); }
  /// The same less another loss: what seems usual may be what is on trial.
  PartSeen carried(const RateEpoch& epoch, double loss) const;
  /// The most that this part may be, as losses come in runs and delays vary.
  double carried_at_most(const RateEpoch& epoch) const;

  /// Takes any epoch.
  void note(const RateEpoch& epoch) { without_queue_ = queued(epoch) ? 0 : without_queue_ + 1; }
  /// Takes one in which nothing was wrong. `may_be_more`: more loss becomes usual, too, as far as that is proven.
  void learn(const RateEpoch& epoch, bool may_be_more);
  /// So much is lost at least …
  void loses_at_least(double loss) { loss_ = std::max(loss_, loss); }
  /// … or at most.
  void loses_at_most(double loss) { loss_ = std::min(loss_, loss); }
  /// A trial has shown that a lower rate loses so much. `deep`: a rate that was a quarter; else no more than
  /// HeavyLoss::least is proven by it.
  void prove(double loss, bool deep);
  /// A trial has shown that a lower rate loses less than the one before it, but still so much: no more is proven.
  void doubt_above(double loss) { proven_loss_ = std::min(proven_loss_, std::max(loss_, loss)); }
  /// A trial has shown that delays grow by so many seconds at a lower rate, too.
  void prove_delay(double delay) { delay_ = std::max(delay_, delay); }

 private:
  static constexpr double highest_loss = 0.9;
  static constexpr std::size_t epochs_without_queue = 16;

  double loss_;
  double proven_loss_;  ///< the most that is usual: as told, or as a trial has shown
  double delay_ = 0;    ///< seconds
  std::size_t without_queue_ = 2 * epochs_without_queue;  ///< epochs since one grew, or more
};

}  // namespace lbsp::transport
