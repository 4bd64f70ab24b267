#pragma once

#include <array>
#include <cstddef>

#include "transport/rate/rate_epoch.hpp"

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
};

/// The last epochs at a rate.
class RecentLoss {
 public:
  static constexpr std::size_t epochs_judged = 4;

  void add(const RateEpoch& epoch);
  const RateEpoch& newest() const { return epochs_[(count_ - 1) % epochs_.size()]; }
  bool full() const { return count_ >= epochs_.size(); }
  LossMean mean() const;
  bool steady() const;  ///< of a full one

 private:
  std::array<RateEpoch, epochs_judged> epochs_{};
  std::size_t count_ = 0;
};

/// What a path loses of its own, as far as trials at lower rates have shown that; else nothing.
struct PathLoss {
  bool known() const { return seen.epochs > 0; }
  /// That is no evidence of more.
  void take(const RateEpoch& epoch);
  void limit();

  LossMean seen = {};
  double most = 1;      ///< as it is not learnt, little by little, from what others drop
  std::size_t age = 0;  ///< epochs since a trial
};

}  // namespace lbsp::transport
