#include "transport/rate/policed_rate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lbsp::transport {
namespace {

/// Beyond the path's own, and beyond so many standard deviations.
constexpr double least_excess = 0.01;
constexpr double certainty_of_excess = 2.5;
/// The first cut is no more than a trial. So much is cut at once, less only if it lasts.
constexpr double certainty_of_doubt = 1.5;
constexpr double excess_at_once = 0.07;
constexpr std::size_t epochs_at_once = 2;
/// Loss that is the rate's is about the same in all epochs. That of a queue that others fill and empty is not.
constexpr double deviations_of_steady = 2;
constexpr double memory_of_own = 16;  ///< epochs

/// A rate that is cut is so much lower than what came through: a queue or a bucket that was full empties. Where others
/// send, too, it leaves them room.
constexpr double below_carried = 0.02;
constexpr double below_carried_beside_others = 0.06;
constexpr double deepest_cut = 0.5;
/// Of what a lower rate saves if nobody else floods the link: if it saves less than this, it is not to blame. Sooner
/// than after as many epochs as were judged before that is only believed by so many standard deviations.
constexpr double part_saved = 0.25;
constexpr double part_saved_of_told = 0.7;
/// More is not tried of a told rate: if it has not fallen, it is the path's own.
constexpr double most_on_trial_of_told = 0.07;
constexpr double certainty_of_gain = 2;
/// If the first cut saves little, the second one goes down to this part of the rate before.
constexpr int most_cuts = 2;
constexpr double part_after_second_cut = 0.65;

/// Beside others the rate grows with each epoch by this part of the most that came through of late, if it is as high as
/// that; by as much in the same time if it is lower.
constexpr double growth_beside_others = 0.0025;
constexpr double most_growth_beside_others = 0.06;
constexpr double memory_of_most = 256;  ///< epochs
/// Who has less than this part of it has others beside him.
constexpr double part_beside_others = 0.8;
constexpr double quiet_before_growth = 4;
/// From where it was cut; the others are gone.
constexpr double risen_far = 1.25;

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

/// Of epochs in which less is lost by chance, that error seems to be less, too.
double PolicedRate::Mean::error_if(double real) const {
  const auto of_one = [](double part) { return std::sqrt(std::max(part * (1 - part), 1e-4)); };
  return error() * std::max(1.0, of_one(real) / of_one(loss));
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

bool PolicedRate::exceeds_own(const Mean& seen, double certainty) const {
  return seen.loss - own_loss_ > std::max(least_excess, certainty * seen.error());
}

BytesPerSecond PolicedRate::judge(const RateEpoch& epoch, BytesPerSecond rate) {
  if (std::exchange(decided_, false)) return rate;
  recent_.add(epoch);
  if (limited_)
    most_through_ = std::max(most_through_ * (1 - 1 / memory_of_most), rate.value * (1 - epoch.loss));
  Mean last;
  last.add(epoch);
  if (rate <= returned_to_ && exceeds_own(last, certainty_of_excess)) failures_ = 0;
  if (most_own_loss_ > 0 && ++own_age_ > own_lasts_) {
    own_loss_ = most_own_loss_ = 0;
    own_lasts_ *= 2;
  }
  const Mean seen = recent_.mean();
  if (trial_) return go_on_with_trial(rate, seen);
  const bool sure = proven_ || before_step_;
  if (exceeds_own(seen, sure ? certainty_of_excess : certainty_of_doubt)) return doubt(rate, seen);
  own_loss_ = std::min(own_loss_ + (epoch.loss - own_loss_) / memory_of_own, most_own_loss_);
  if (recent_.full()) {
    most_own_loss_ = std::min(own_loss_, seen.loss + certainty_of_excess * seen.error_if(own_loss_));
    own_loss_ = most_own_loss_;
  }
  return ceiling_ && rate >= *ceiling_ ? go_on_above(rate) : rate;
}

/// More is lost than is the path's own.
BytesPerSecond PolicedRate::doubt(BytesPerSecond rate, const Mean& seen) {
  if (before_step_) {
    begin_ceiling(*before_step_);
    return *ceiling_;
  }
  // The rate finder falls to what came through then.
  if (!handles(recent_.newest().loss)) return rate;
  const bool much = fallen_ && seen.epochs >= epochs_at_once &&
                    seen.loss - own_loss_ > std::max(excess_at_once, certainty_of_excess * seen.error());
  if (!recent_.full() && !much && !proven_) return rate;
  if (!proven_ && !much && !recent_.steady()) {
    ceiling_.reset();
    failures_ = 0;
    return rate;
  }
  if (told_ && seen.loss - own_loss_ > most_on_trial_of_told) {
    own_loss_ = most_own_loss_ = seen.loss;
    return rate;
  }
  if (!limited_) return rate;
  if (proven_ && ceiling_) others_ = true;
  trial_ = Trial{.before = rate, .at_rate = seen, .first_rate = rate, .first_loss = seen.loss};
  return cut(rate, seen);
}

/// To just below what came through.
BytesPerSecond PolicedRate::cut(BytesPerSecond rate, const Mean& seen) {
  const double below = others_ ? below_carried_beside_others : below_carried;
  const double part = std::min(std::max(seen.loss - own_loss_, 0.0) + below, deepest_cut);
  return cut_to({rate.value * (1 - part)}, rate);
}

/// The trial goes on.
BytesPerSecond PolicedRate::cut_to(BytesPerSecond lower, BytesPerSecond rate) {
  const std::optional<Trial> trial = trial_;
  cut_from_ = rate;
  begin_ceiling(lower);
  trial_ = trial;
  return lower;
}

/// At a lower rate. Where others flood the link, too, it saves less than what it would alone.
BytesPerSecond PolicedRate::go_on_with_trial(BytesPerSecond rate, const Mean& seen) {
  Trial& trial = *trial_;
  const double fallen = 1 - rate.value / trial.before.value;
  const double alone = std::min(trial.at_rate.loss - own_loss_, fallen * (1 - trial.at_rate.loss));
  const double gain = trial.at_rate.loss - seen.loss;
  const double chance = std::hypot(trial.at_rate.error(), seen.error());
  const double least = (told_ ? part_saved_of_told : part_saved) * alone;
  const bool helps = gain > (recent_.full() ? least : std::max(certainty_of_gain * chance, least));
  const bool others_came = !told_ && -gain > certainty_of_excess * chance;
  if (helps) proven_ = !told_;
  if (helps && !exceeds_own(seen, certainty_of_excess)) {
    if (seen.epochs > 1) trial_.reset();
    return rate;
  }
  if (helps || others_came) {
    trial.before = rate;
    trial.at_rate = seen;
    trial.cuts = 1;
    return cut(rate, seen);
  }
  if (!recent_.full()) return rate;
  const BytesPerSecond second{part_after_second_cut * trial.before.value};
  if (++trial.cuts <= most_cuts && second < rate) return cut_to(second, rate);
  return return_from_trial((trial.at_rate.loss + seen.loss) / 2);
}

/// So much is not the rate's.
BytesPerSecond PolicedRate::return_from_trial(double own) {
  // An earlier cut has saved the rest, and would have done so if it had been no deeper.
  const double rest = trial_->before < trial_->first_rate ? trial_->first_loss - own + below_carried : 0;
  const BytesPerSecond carried{trial_->first_rate.value * (1 - rest)};
  const BytesPerSecond before = std::clamp(carried, trial_->before, trial_->first_rate);
  interrupt();
  ceiling_.reset();
  proven_ = others_ = false;
  failures_ = 0;
  wait_ = 0;
  if (own > most_of_path) {
    limited_ = fallen_ = false;
  } else {
    own_loss_ = most_own_loss_ = own;
    own_age_ = 0;
  }
  return before;
}

/// Nothing is wrong with the ceiling, or with a step above it.
BytesPerSecond PolicedRate::go_on_above(BytesPerSecond rate) {
  ++quiet_;
  if (!before_step_ && (others_ || (proven_ && rate.value < part_beside_others * most_through_)))
    return grow(rate);
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

/// Beside others.
BytesPerSecond PolicedRate::grow(BytesPerSecond rate) {
  const double lower = std::max(most_through_ / rate.value, 1.0);
  if (static_cast<double>(quiet_) * lower < quiet_before_growth) return rate;
  if (rate.value > risen_far * cut_from_.value && rate.value > part_beside_others * most_through_) {
    ceiling_.reset();
    others_ = false;
    return rate;
  }
  ceiling_ = BytesPerSecond{rate.value *
                            (1 + std::min(growth_beside_others * lower * lower, most_growth_beside_others))};
  return *ceiling_;
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
