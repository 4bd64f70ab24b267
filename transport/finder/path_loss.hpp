#pragma once

#include <array>
#include <cstddef>

#include "transport/finder/rate_epoch.hpp"

namespace lbsp::transport {

/// The mean of some epochs' loss, and how far chance moves it.
struct LossMean {
  /// At most so many count: the oldest fade.
  void add(const RateEpoch& epoch, double longest = 1e9);
  void add(const LossMean& more);
  /// Of the mean, as the epochs vary, and as each of them expects of chance.
  double error() const;
  double least_error() const;  ///< the same, if what varies more than that is no chance

  double loss = 0;
  double variance_expected = 0;  ///< of one epoch
  /// Of what each differs from the one before, summed up and halved: that they become more or less is no chance.
  double squares = 0;
  double newest = 0;
  double epochs = 0;
  double datagrams = 0;  ///< of one epoch
};

/// The last epochs at a rate.
class RecentLoss {
 public:
  static constexpr std::size_t epochs_judged = 4;

  void add(const RateEpoch& epoch);
  const RateEpoch& newest() const { return epochs_[(count_ - 1) % epochs_.size()]; }
  bool full() const { return count_ >= epochs_.size(); }
  LossMean mean() const;
  LossMean last() const;  ///< of the newest
  bool steady() const;    ///< of a full one: it does not come and go
  bool alike() const;     ///< of a full one: nor is it going to become more

 private:
  std::array<RateEpoch, epochs_judged> epochs_{};
  std::size_t count_ = 0;
};

/// What a path loses of its own, as far as trials at lower rates have shown that; else nothing.
struct PathLoss {
  /// Less beyond it does not count.
  static constexpr double least_excess = 0.01;

  bool known() const { return seen.epochs > 0; }
  /// By that, and so many standard deviations.
  bool exceeded_by(const LossMean& more, double certainty) const;
  /// A trial is worth less proof. What varies because others come and go is no chance.
  bool may_be_exceeded_by(const LossMean& more, double certainty) const;
  /// That is no evidence of more.
  void take(const RateEpoch& epoch);
  void limit();
  /// A trial has shown that.
  void find(const LossMean& found);
  /// Of a loss that was found long ago it is not known whether it was that of others.
  bool doubtful() const { return seen.loss > least_excess && age > lasts; }
  /// It is going to be seen at a lower rate; the next time is further off.
  void ask();
  /// That is what a lower rate has lost.
  void answer(const LossMean& lower);

  LossMean seen = {};
  double most = 1;         ///< as it is not learnt, little by little, from what others drop
  std::size_t age = 0;     ///< epochs since a trial
  std::size_t lasts = 64;  ///< epochs until it is doubtful
};

}  // namespace lbsp::transport
