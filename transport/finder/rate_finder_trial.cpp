// How a rate finder judges its falls.
#include <algorithm>
#include <cmath>

#include "transport/finder/rate_finder.hpp"

namespace lbsp::transport {
namespace {

constexpr double deepest_fall = 0.1;  ///< at once

/// Of what had been missed: a fall has helped if so much more comes through.
constexpr double least_gain_of_fall = 0.15;
/// After so many epochs without certainty, it has not.
constexpr int longest_trial = 3;

/// Less than an epoch in a second. Others flood faster links far sooner than a bucket hides so much.
constexpr BytesPerSecond low_rate{1400.0 * EpochMeter::packets_per_epoch};

}  // namespace

/// Of the last fall. If it was mistaken, it is undone.
bool RateFinder::undecided_or_mistaken(const RateEpoch& epoch) {
  const Verdict verdict = lower_->deep
                              ? lower_->deep->add(usual_.carried(epoch, believed_ ? usual_.loss() : 0))
                          : believed_ ? verdict_on_told(epoch)
                                      : verdict_on_found(epoch);
  if (verdict == Verdict::open) return true;
  const Trial trial = *lower_;
  if (verdict == Verdict::lower) {
    begin_trial(trial, HeavyLoss::part_on_trial);
    return true;
  }
  lower_.reset();
  if (verdict == Verdict::right) {
    if (believed_) usual_.doubt_above(epoch.loss);
    if (trial.seen.loss > usual_.loss() + much_lost) believed_ = false;
    if (trial.deep) {
      // What was lost may have gone by itself meanwhile: then the rate is soon what it was.
      before_fading_ = trial.known;
      return false;
    }
    const double chance = certainty * std::hypot(trial.seen.loss_error, epoch.loss_error);
    const bool lost_more = trial.seen.loss - epoch.loss > std::max(loss_of_failure, chance);
    if (lost_more) policed_.too_high(rate_);
    const bool flat = !believed_ && usual_.no_queue();
    const double through = trial.before.value * (1 - trial.seen.loss);
    const bool slow = rate_ < low_rate;
    if (lost_more && flat) policed_.fell(slow ? std::max(1 - through / rate_.value, 0.0) : 0);
    // So, too, if others who lost as much fall with this rank.
    if (flat && trial.seen.loss > HeavyLoss::least)
      before_fading_ = std::min(trial.known, policed_.most_through());
    return false;
  }
  if (!believed_ && usual_.no_queue() && !trial.deep && loses_less(trial, epoch)) policed_.fell();
  const double loss = believed_ ? (trial.seen.loss + epoch.loss) / 2 : trial.seen.loss;
  const bool open = !trial.deep && epoch.loss > HeavyLoss::least;
  if (believed_ || !open) usual_.prove(loss, trial.deep.has_value());
  usual_.prove_delay(trial.seen.delay);
  set_rate(trial.before);
  if (open) heavy_.expect();
  return true;
}

RateFinder::Verdict RateFinder::verdict_on_found(const RateEpoch& epoch) const {
  const auto through = [](auto rate, const auto& at) { return rate.value * (1 - at.loss) / at.stretch; };
  const double kept = through(rate_, epoch) / through(lower_->before, lower_->seen);
  const double fallen = rate_.value / lower_->before.value;
  const bool tells = usual_.no_queue() && (policed_.limited() || fallen <= HeavyLoss::part_on_trial);
  return kept > (1 + fallen) / 2 || (tells && loses_less(*lower_, epoch)) ? Verdict::right
                                                                          : Verdict::mistaken;
}

/// Where others flood the link, too, they take what this rank leaves, but less is lost.
bool RateFinder::loses_less(const Trial& trial, const RateEpoch& epoch) const {
  const double gain = trial.seen.loss - epoch.loss;
  const double chance = std::hypot(trial.seen.loss_error, epoch.loss_error);
  return gain > std::max(certainty * chance, least_gain_of_fall * (trial.seen.loss - usual_.loss()));
}

RateFinder::Verdict RateFinder::verdict_on_told(const RateEpoch& epoch) {
  Trial& trial = *lower_;
  const PartSeen now = usual_.carried(epoch);
  ++trial.epochs;
  trial.since.part += (now.part - trial.since.part) / trial.epochs;
  trial.since.error += (now.error - trial.since.error) / trial.epochs;
  const double gain = trial.since.part - trial.carried.part;
  const double error = std::hypot(trial.since.error / std::sqrt(trial.epochs), trial.carried.error);
  const double least = least_gain_of_fall * (1 - trial.carried.part);
  if (gain > std::max(least, certainty * error)) return Verdict::right;
  return gain > std::max(least, error) && trial.epochs < longest_trial ? Verdict::open : Verdict::mistaken;
}

void RateFinder::fall(const RateEpoch& epoch, double part) {
  Trial trial{.before = rate_,
              .known = std::max(rate_, before_fading_),
              .seen = epoch,
              .carried = usual_.carried(epoch)};
  wait_ = first_wait;
  before_fading_ = {0};
  if (heavy_.lasts()) {
    trial.deep.emplace();
    lower_ = trial;
  } else {
    begin_trial(trial, margin * part);
  }
}

void RateFinder::begin_trial(const Trial& trial, double part) {
  set_rate({std::max(rate_.value * std::max(part, deepest_fall), lowest_rate.value)});
  lower_ = trial;
}

}  // namespace lbsp::transport
