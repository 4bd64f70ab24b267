#include "transport/rate/policed_rate.hpp"

#include <algorithm>
#include <cmath>

namespace lbsp::transport {
namespace {

/// Beyond the path's own, and beyond so many standard deviations.
constexpr double least_excess = 0.01;
/// Of more, the rate finder falls by itself, unless it has learnt that as usual.
constexpr double most_on_trial = 0.07;
constexpr double certainty_of_excess = 2.5;
/// Loss that is the rate's is about the same in all epochs. That of a queue that others fill and empty is not.
constexpr double deviations_of_steady = 2;
constexpr double memory_of_own = 16;  ///< epochs

/// A trial is so much lower than what came through: a queue or a bucket that was full empties.
constexpr double below_carried = 0.02;
/// Of the loss beyond the path's own: so much a lower rate saves if nobody else floods the link.
constexpr double gain_if_alone = 0.7;

/// Of the rate.
constexpr double first_step_up = 0.06;
constexpr double last_step = 0.25;  ///< as large as the rate finder's
/// A bucket that holds what half a round trip takes forgives 3 % too much for ten epochs, at 50 Mbit/s and 40 ms.
constexpr std::size_t epochs_of_step = 12;
constexpr std::size_t shortest_wait_below = 8;
constexpr std::size_t longest_wait_below = 32;
constexpr int failures_to_believe = 2;

}  // namespace

void PolicedRate::Mean::add(const RateEpoch& epoch) {
  const auto number = static_cast<double>(++epochs);
  loss += (epoch.loss - loss) / number;
  each_error += (epoch.loss_error - each_error) / number;
}

double PolicedRate::Mean::error() const {
  return each_error / std::sqrt(static_cast<double>(std::max<std::size_t>(epochs, 1)));
}

PolicedRate::Mean PolicedRate::Recent::mean() const {
  Mean mean;
  for (std::size_t epoch = 0; epoch < std::min(count, epochs.size()); ++epoch)
    mean.add(epochs[epoch]);
  return mean;
}

bool PolicedRate::Recent::steady() const {
  const double least = mean().loss;
  return std::ranges::all_of(epochs, [least](const RateEpoch& epoch) {
    return epoch.loss + deviations_of_steady * epoch.loss_error > least;
  });
}

bool PolicedRate::exceeds_own(const Mean& seen) const {
  return seen.loss - own_loss_ > std::max(least_excess, certainty_of_excess * seen.error());
}

BytesPerSecond PolicedRate::judge(const RateEpoch& epoch, BytesPerSecond rate) {
  if (trial_) return go_on_with_trial(epoch);
  recent_.add(epoch);
  Mean last;
  last.add(epoch);
  if (rate <= returned_to_ && exceeds_own(last)) failures_ = 0;
  if (exceeds_own(recent_.mean())) return doubt(rate);
  own_loss_ = std::min(own_loss_ + (epoch.loss - own_loss_) / memory_of_own, most_own_loss_);
  return ceiling_ && rate >= *ceiling_ ? go_on_above(rate) : rate;
}

/// More is lost than is the path's own.
BytesPerSecond PolicedRate::doubt(BytesPerSecond rate) {
  if (before_step_) {
    begin_ceiling(*before_step_);
    return *ceiling_;
  }
  if (!recent_.full()) return rate;
  if (!recent_.steady()) {
    ceiling_.reset();
    failures_ = 0;
  } else if (recent_.mean().loss - own_loss_ > most_on_trial) {
    own_loss_ = most_own_loss_ = recent_.mean().loss;
  } else if (limited_) {
    trial_ = Trial{.before = rate, .lower_rate = rate};
    recent_ = {};
  }
  return rate;
}

/// Nothing is wrong with the ceiling, or with a step above it.
BytesPerSecond PolicedRate::go_on_above(BytesPerSecond rate) {
  ++quiet_;
  if (before_step_) {
    if (quiet_ < epochs_of_step) return rate;
    before_step_.reset();
    ceiling_ = rate;
    wait_ = 0;
    step_ *= 2;
    if (step_ >= last_step) ceiling_.reset();
  }
  if (!ceiling_ || quiet_ <= wait_) return rate;
  before_step_ = rate;
  quiet_ = 0;
  recent_ = {};
  return {rate.value * (1 + step_)};
}

/// First at the rate itself, then at a lower one.
BytesPerSecond PolicedRate::go_on_with_trial(const RateEpoch& epoch) {
  Trial& trial = *trial_;
  if (on_trial()) {
    trial.lower.add(epoch);
    return trial.lower.epochs == epochs_of_each ? verdict(trial) : trial.lower_rate;
  }
  trial.at_rate.add(epoch);
  recent_.add(epoch);
  if (!on_trial()) return trial.before;
  if (exceeds_own(trial.at_rate) && recent_.steady()) {
    trial.lower_rate.value *= 1 - (trial.at_rate.loss - own_loss_) - below_carried;
  } else {
    interrupt();
  }
  return trial.lower_rate;
}

/// What the lower rate saves of what was lost beyond the path's own says whose loss it is. Where others flood the link,
/// too, it is little. The trial is a copy, as it ends here.
BytesPerSecond PolicedRate::verdict(const Trial trial) {
  const double gain = trial.at_rate.loss - trial.lower.loss;
  const double chance = certainty_of_excess * std::hypot(trial.at_rate.error(), trial.lower.error());
  const bool helps = gain > std::max(least_excess, chance);
  if (helps && gain > gain_if_alone * (trial.at_rate.loss - own_loss_)) {
    own_loss_ = most_own_loss_ = std::min(own_loss_, trial.lower.loss);
    begin_ceiling(trial.lower_rate);
    return trial.lower_rate;
  }
  interrupt();
  own_loss_ = most_own_loss_ = helps ? trial.lower.loss : (trial.at_rate.loss + trial.lower.loss) / 2;
  ceiling_.reset();
  failures_ = 0;
  wait_ = 0;
  return trial.before;
}

void PolicedRate::begin_ceiling(BytesPerSecond rate) {
  interrupt();
  ceiling_ = rate;
  step_ = first_step_up;
  wait_ = std::clamp(2 * wait_, shortest_wait_below, longest_wait_below);
}

void PolicedRate::too_high(BytesPerSecond rate) {
  limited_ = true;
  returned_to_ = rate;
  interrupt();
  if (++failures_ >= failures_to_believe || (ceiling_ && rate < *ceiling_)) begin_ceiling(rate);
}

void PolicedRate::interrupt() {
  trial_.reset();
  before_step_.reset();
  recent_ = {};
  quiet_ = 0;
}

}  // namespace lbsp::transport
