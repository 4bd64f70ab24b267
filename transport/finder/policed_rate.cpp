#include "transport/finder/policed_rate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lbsp::transport {
namespace {

/// Beyond the path's own.
constexpr double certainty_of_excess = 2.5;
/// The first cut is no more than a trial. So much is cut at once, less only if it lasts.
constexpr double certainty_of_few = 4;  ///< epochs
constexpr double certainty_of_doubt = 1.5;
constexpr double certainty_of_doubt_of_known = 2;
constexpr double excess_at_once = 0.07;
constexpr double epochs_at_once = 2;
constexpr double part_when_asked = 0.65;  ///< of the rate

/// A rate that is cut is so much lower than what came through: a queue or a bucket that was full empties.
constexpr double below_carried = 0.02;
constexpr double deepest_cut = 0.5;
/// If the first cut saves little, the second one goes down to this part of the rate before.
constexpr int most_cuts = 2;
constexpr double part_after_second_cut = 0.65;
constexpr int most_epochs_on_trial = 12;  ///< at one rate, until that is about the same

constexpr double memory_of_most = 256;  ///< epochs
/// Who has less than this part of it has others beside him.
constexpr double part_beside_others = 0.8;
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

BytesPerSecond PolicedRate::judge(const RateEpoch& epoch, BytesPerSecond rate) {
  if (std::exchange(decided_, false)) return rate;
  recent_.add(epoch);
  if (own_.known()) ++own_.age;
  if (limited_)
    most_through_ = std::max(most_through_ * (1 - 1 / memory_of_most), rate.value * (1 - epoch.loss));
  if (rate <= returned_to_ && own_.exceeded_by(recent_.last(), certainty_of_excess)) failures_ = 0;
  const LossMean seen = recent_.mean();
  if (asked_from_) return go_on_asking(rate, seen);
  if (trial_) return go_on_with_trial(rate, seen);
  const bool sure = proven_ || before_step_;
  const double certainty = sure           ? certainty_of_excess
                           : own_.known() ? certainty_of_doubt_of_known
                                          : certainty_of_doubt;
  const bool known_of_path = own_.known() && !sure;
  if (known_of_path ? own_.exceeded_by(seen, certainty) : own_.may_be_exceeded_by(seen, certainty))
    return doubt(rate, seen);
  left_ = std::min(left_, epoch.loss);
  learn_own(epoch);
  if (own_.doubtful() && !before_step_ && recent_.full()) return ask(rate);
  return ceiling_ && rate >= *ceiling_ ? go_on_above(rate) : rate;
}

/// Not from what a step above the ceiling loses.
void PolicedRate::learn_own(const RateEpoch& epoch) {
  if (!own_.known() || before_step_) return;
  own_.take(epoch);
}

BytesPerSecond PolicedRate::ask(BytesPerSecond rate) {
  own_.ask();
  recent_ = {};
  asked_from_ = rate;
  return {part_when_asked * rate.value};
}

BytesPerSecond PolicedRate::go_on_asking(BytesPerSecond rate, const LossMean& seen) {
  if (!recent_.full()) return rate;
  own_.answer(seen);
  recent_ = {};
  return *std::exchange(asked_from_, std::nullopt);
}

/// More is lost than is the path's own.
BytesPerSecond PolicedRate::doubt(BytesPerSecond rate, const LossMean& seen) {
  if (before_step_) {
    begin_ceiling(*before_step_);
    return *ceiling_;
  }
  const double excess = seen.loss - own_.seen.loss;
  // The rate finder falls to what came through then.
  if (!handles(recent_.newest().loss)) return rate;
  const bool many = fallen_ && excess > std::max(excess_at_once, certainty_of_few * seen.error());
  // Losses in runs look like a flood for some epochs.
  const bool much = many && seen.epochs >= epochs_at_once && excess - left_ < PolicedSharing::flood;
  const bool clear = proven_ && excess > certainty_of_few * seen.error();
  if (!recent_.full() && !much && !clear) return rate;
  if (!proven_ && !many && !recent_.steady()) {
    ceiling_.reset();
    failures_ = 0;
    return rate;
  }
  if (!limited_) return rate;
  if (proven_ && ceiling_) others_ = true;
  trial_ = PolicedTrial{.before = rate, .at_rate = seen, .first_rate = rate, .first_loss = seen.loss};
  trial_->lost_before = std::exchange(left_, 0);
  return cut(rate, seen);
}

/// To just below what came through; in a flood to where all begin anew.
BytesPerSecond PolicedRate::cut(BytesPerSecond rate, const LossMean& seen) {
  const double excess = std::max(seen.loss - own_.seen.loss, 0.0);
  const bool flood = seen.loss - trial_->lost_before >= PolicedSharing::flood;
  const auto low = flood ? PolicedSharing::begin(rate, excess, most_through()) : std::nullopt;
  trial_->flood = low ? std::optional<FloodWait>(std::in_place) : std::nullopt;
  if (low) return cut_to(*low, rate);
  const double part = std::min(excess + (others_ ? PolicedSharing::room : below_carried), deepest_cut);
  return cut_to({rate.value * (1 - part)}, rate);
}

/// The trial goes on.
BytesPerSecond PolicedRate::cut_to(BytesPerSecond lower, BytesPerSecond rate) {
  const std::optional<PolicedTrial> trial = trial_;
  cut_from_ = rate;
  begin_ceiling(lower);
  trial_ = trial;
  return lower;
}

/// At a lower rate.
BytesPerSecond PolicedRate::go_on_with_trial(BytesPerSecond rate, const LossMean& seen) {
  PolicedTrial& trial = *trial_;
  if (trial.flood) return wait_for_end_of_flood(rate, seen);
  ++trial.epochs;
  const bool helps = trial.helps(rate, seen, own_.seen.loss, proven_, recent_.full());
  const double chance = std::hypot(trial.at_rate.error(), seen.error());
  const bool others_came = seen.loss - trial.at_rate.loss > certainty_of_excess * chance;
  if (helps) proven_ = true;
  if (helps && !own_.exceeded_by(seen, certainty_of_excess)) {
    if (seen.epochs < 2) return rate;
    if (trial.cuts > 1) return return_to_first_cut();
    trial_.reset();
    return rate;
  }
  if (helps || others_came) {
    // One epoch of losses in runs looks like a flood.
    if (seen.epochs < epochs_at_once && seen.loss - own_.seen.loss > PolicedSharing::flood) return rate;
    trial.lost_before = trial.at_rate.loss;
    trial.before = rate;
    trial.at_rate = seen;
    trial.cuts = 1;
    return cut(rate, seen);
  }
  if (!recent_.full() && trial.epochs < most_epochs_on_trial) return rate;
  trial.epochs = 0;
  const BytesPerSecond second{part_after_second_cut * trial.before.value};
  if (++trial.cuts > most_cuts || second >= rate) return return_from_trial(seen);
  return cut_to(second, rate);
}

/// What is still lost then is the path's own. If the rest was no flood, as much came through of the higher rate.
BytesPerSecond PolicedRate::wait_for_end_of_flood(BytesPerSecond rate, const LossMean& seen) {
  const FloodWait::Verdict verdict = trial_->flood->add(recent_, own_);
  if (verdict == FloodWait::Verdict::open) return rate;
  const double gone = std::max(trial_->at_rate.loss - seen.loss, 0.0);
  const BytesPerSecond carried{trial_->before.value * (1 - gone)};
  interrupt();
  if (verdict == FloodWait::Verdict::over) return begin_steps(rate);
  blame_path(seen);
  return gone < PolicedSharing::flood ? carried : begin_steps(rate);
}

BytesPerSecond PolicedRate::begin_steps(BytesPerSecond rate) {
  ceiling_ = rate;
  proven_ = others_ = steps_ = true;
  return rate;
}

/// The second one has shown whose the loss was, and was deeper than that needs.
BytesPerSecond PolicedRate::return_to_first_cut() {
  const PolicedTrial trial = *trial_;
  cut(trial.before, trial.at_rate);
  trial_.reset();
  return *ceiling_;
}

/// At the lower rate as much is lost: so much is not the rate's.
BytesPerSecond PolicedRate::return_from_trial(const LossMean& seen) {
  LossMean both = trial_->at_rate;
  both.add(seen);
  // An earlier cut has saved the rest, and would have done so if it had been no deeper.
  const double rest =
      trial_->before < trial_->first_rate ? trial_->first_loss - both.loss + below_carried : 0;
  const BytesPerSecond carried{trial_->first_rate.value * (1 - rest)};
  const BytesPerSecond before = std::clamp(carried, trial_->before, trial_->first_rate);
  blame_path(both);
  return before;
}

/// So much is lost whatever the rate; if that is too much to be believed, the rate finder asks again.
void PolicedRate::blame_path(const LossMean& seen) {
  interrupt();
  ceiling_.reset();
  proven_ = others_ = false;
  failures_ = 0;
  wait_ = 0;
  if (seen.loss > most_of_path) {
    limited_ = fallen_ = false;
  } else {
    own_.find(seen);
  }
}

/// Nothing is wrong with the ceiling, or with a step above it.
BytesPerSecond PolicedRate::go_on_above(BytesPerSecond rate) {
  ++quiet_;
  if (steps_) return step_beside_others(rate);
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

/// They rise likewise. A loss undoes the last step, and ends them.
BytesPerSecond PolicedRate::step_beside_others(BytesPerSecond rate) {
  if (before_step_ && own_.exceeded_by(recent_.mean(), certainty_of_doubt)) {
    begin_ceiling(*before_step_);
    return *ceiling_;
  }
  const auto higher = PolicedSharing::step(rate, most_through());
  ceiling_ = rate;
  before_step_.reset();
  recent_ = {};
  steps_ = higher.has_value();
  if (higher) before_step_ = rate;
  return higher.value_or(rate);
}

/// Beside others.
BytesPerSecond PolicedRate::grow(BytesPerSecond rate) {
  const auto higher = PolicedSharing::grow(rate, quiet_, most_through());
  if (!higher) return rate;
  if (rate.value > risen_far * cut_from_.value && rate.value > part_beside_others * most_through_) {
    ceiling_.reset();
    others_ = false;
    return rate;
  }
  ceiling_ = higher;
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
  most_through_ = std::max(most_through_, rate.value);
  returned_to_ = rate;
  interrupt();
  if (++failures_ >= failures_to_believe || (ceiling_ && rate < *ceiling_)) begin_ceiling(rate);
}

void PolicedRate::interrupt() {
  trial_.reset();
  asked_from_.reset();
  before_step_.reset();
  steps_ = false;
  recent_ = {};
  quiet_ = 0;
}

}  // namespace lbsp::transport
