// How a rate finder judges its falls.
#include <algorithm>

#include "transport/finder/rate_finder.hpp"

namespace lbsp::transport {
namespace {

constexpr double deepest_fall = 0.1;  ///< at once

/// Less than an epoch in a second. Others flood faster links far sooner than a bucket hides so much.
constexpr BytesPerSecond low_rate{1400.0 * EpochMeter::packets_per_epoch};

}  // namespace

/// Of the last fall. If it was mistaken, it is undone.
bool RateFinder::undecided_or_mistaken(const RateEpoch& epoch) {
  using Verdict = RateTrial::Verdict;
  const Verdict verdict =
      lower_->add(epoch, usual_, {.rate = rate_, .told = believed_, .policed = policed_.limited()});
  if (verdict == Verdict::open) return true;
  const RateTrial trial = *lower_;
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
    const bool lost_more = trial.was_too_high(epoch);
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
  if (!believed_ && usual_.no_queue() && !trial.deep && trial.loses_less(epoch, usual_.loss()))
    policed_.fell();
  const double loss = believed_ ? (trial.seen.loss + epoch.loss) / 2 : trial.seen.loss;
  const bool open = !trial.deep && epoch.loss > HeavyLoss::least;
  if (believed_ || !open) usual_.prove(loss, trial.deep.has_value());
  usual_.prove_delay(trial.seen.delay);
  set_rate(trial.before);
  if (open) heavy_.expect();
  return true;
}

void RateFinder::fall(const RateEpoch& epoch, double part) {
  RateTrial trial{.before = rate_,
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

void RateFinder::begin_trial(const RateTrial& trial, double part) {
  set_rate({std::max(rate_.value * std::max(part, deepest_fall), lowest_rate.value)});
  lower_ = trial;
}

}  // namespace lbsp::transport
