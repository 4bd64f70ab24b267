#include "transport/rate/rate_finder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lbsp::transport {
namespace {

/// Queues that grow by less during a train are noise, or do no harm.
constexpr double least_delay = 2e-3;

/// Of the rate: what must come through. What is missed is noise of loss, about 2 % of an epoch, and of
/// timers.
constexpr double enough = 0.93;
/// So little that twice in a row is no noise.
constexpr double far_too_little = 0.6;
/// A queue that has filled empties again if a little less is sent than is carried.
constexpr double margin = 0.97;

constexpr double step_up = 1.25;
constexpr double deepest_fall = 0.1;  ///< at once
constexpr BytesPerSecond lowest_rate{8000};
constexpr double highest_usual_loss = 0.9;

constexpr std::size_t wait_of_measured = 2;
constexpr std::size_t first_wait = 8;
constexpr std::size_t longest_wait_to_rise = 16;

/// Standard deviations that an epoch of a told rate is given; three epochs are looked at. Delays that vary do so
/// together.
constexpr double doubt_of_loss = 2;
constexpr double doubt_of_time = 3;
/// The same for a rate that is found, where so much is lost that it varies much.
constexpr double doubt_of_heavy_loss = 1;
/// A fall has helped if so many standard deviations more come through, …
constexpr double certainty = 2.5;
/// … and at least this part of what had been missed.
constexpr double least_gain = 0.15;
/// After so many epochs without certainty, it has not.
constexpr int longest_trial = 3;
/// Beyond what is usual: more than chance, and no delays that vary.
constexpr double much_lost = 0.1;

/// Lost beyond what is usual, it means that a rate was too high.
constexpr double loss_of_failure = 0.05;

double median(std::array<double, 3> values) {
  std::sort(values.begin(), values.end());
  return values[1];
}

}  // namespace

RateFinder::RateFinder(BytesPerSecond first, BytesPerSecond most, double usual_loss)
    : rate_(std::min(first, most)),
      first_(rate_),
      most_(most),
      told_(first >= most),
      believed_(told_),
      usual_loss_(std::clamp(usual_loss, 0.0, highest_usual_loss)),
      proven_loss_(told_ ? usual_loss_ : std::max(usual_loss_, HeavyLoss::least)) {}

bool RateFinder::fade() {
  const BytesPerSecond from = proven();
  if (told_ || from <= first_) return false;
  before_fading_ = std::max(before_fading_, from);
  set_rate(std::max(first_, {from.value / 2}));
  return true;
}

bool RateFinder::lower_to(BytesPerSecond rate, ShownBy shown) {
  if (told_ || rate >= rate_) return false;
  const BytesPerSecond from = rate_;
  set_rate(std::max(rate, lowest_rate));
  if (shown != ShownBy::first_flight) before_fading_ = std::max(before_fading_, from);
  if (shown == ShownBy::first_flight) wait_ = wait_of_measured;
  return true;
}

bool RateFinder::close_epoch() {
  dropped_without_queue_ = false;
  const BytesPerSecond before = rate_;
  judge(meter_.close());
  return rate_ != before;
}

bool RateFinder::queued(const RateEpoch& epoch) const {
  return epoch.delay > std::max(least_delay, 1.25 * usual_delay_);
}

PartSeen RateFinder::carried(const RateEpoch& epoch, double usual) const {
  const double stretch = queued(epoch) ? epoch.stretch : 1;
  const double part = std::min(1.0, (1 - epoch.loss) / (1 - usual)) / stretch;
  const double of_loss = epoch.loss_error / (1 - usual) / stretch;
  return {part, std::hypot(of_loss, queued(epoch) ? part * epoch.stretch_error / stretch : 0)};
}

/// The part that may have come through.
double RateFinder::at_most(const RateEpoch& epoch) const {
  if (!believed_) return carried(epoch).part;
  const double arrived = std::min(1.0, (1 - epoch.loss) / (1 - usual_loss_));
  const double stretch = queued(epoch) ? epoch.stretch - doubt_of_time * epoch.stretch_error : 1;
  return (arrived + doubt_of_loss * epoch.loss_error / (1 - usual_loss_)) / std::max(1.0, stretch);
}

void RateFinder::judge(const RateEpoch& epoch) {
  without_queue_ = queued(epoch) ? 0 : without_queue_ + 1;
  if (lower_ && undecided_or_mistaken(epoch)) return;
  heavy_.note(epoch.loss);
  const double part = at_most(epoch);
  const double failure = std::max(loss_of_failure, certainty * epoch.loss_error);
  const bool fails = part < enough && !queued(epoch) && epoch.loss - usual_loss_ > failure;
  const bool fails_again = std::exchange(failed_, false) && fails;
  const BytesPerSecond through{
      std::max({margin * rate_.value * carried(epoch).part, lasting_.value, risen_from_.value})};
  if (part < enough && undo_rise()) {
    failed_ = fails;
    // A policer's bucket may have forgiven the rise before, too.
    if (fails && !believed_ && through < rate_) use_rate(through);
    if (fails) policed_.too_high(rate_);
    dropped_without_queue_ = !queued(epoch) && epoch.loss > usual_loss_ + much_lost;
    return;
  }
  if (!before_ && !believed_ && follow_policed(epoch)) return;
  if (limited()) usual_loss_ = std::max(usual_loss_, policed_.own_loss());
  const bool known_before = rate_ <= before_fading_;
  if (before_ && !known_before) wait_ = 0;
  before_.reset();
  const double previous = epochs_ > 0 ? recent_[(epochs_ - 1) % recent_.size()] : 1;
  const bool varies = !believed_ && epoch.loss > HeavyLoss::least;
  recent_[epochs_++ % recent_.size()] = part + (varies ? doubt_of_heavy_loss * carried(epoch).error : 0);
  const bool far_too_low = std::max(part, previous) < far_too_little || (fails_again && !believed_);
  const bool policed = limited() && !queued(epoch) && policed_.handles(epoch.loss);
  if (policed && part < enough) return;
  if (far_too_low) {
    fall(epoch, part);
  } else if (!policed && epochs_ >= recent_.size() && median(recent_) < enough) {
    fall(epoch, median(recent_));
  } else if (part >= enough) {
    learn_usual(epoch);
    if (++quiet_ > first_wait) {
      lasting_ = std::max(lasting_, rate_);
      policed_.held(rate_);
    }
    if (!policed_.holds(rate_) && (quiet_ > wait_ || rate_ < before_fading_)) rise();
  }
}

/// Whether that has changed the rate.
bool RateFinder::follow_policed(const RateEpoch& epoch) {
  const BytesPerSecond judged = std::max(policed_.judge(epoch, rate_), std::min(rate_, lowest_rate));
  const BytesPerSecond rate = std::min(judged, most_);
  if (rate == rate_) return false;
  const std::size_t quiet = quiet_;
  use_rate(rate);
  // A trial is no reason to wait longer.
  quiet_ = quiet;
  return true;
}

bool RateFinder::undo_rise() {
  if (!before_) return false;
  before_fading_ = {0};
  if (rate_ <= lasting_) lasting_ = {0};
  wait_ = std::min(std::max(2 * wait_, first_wait), longest_wait_to_rise);
  set_rate(*before_);
  return true;
}

void RateFinder::learn_usual(const RateEpoch& epoch) {
  const double most = limited() ? std::max(usual_loss_, policed_.own_loss()) : proven_loss_;
  usual_loss_ = std::min(usual_loss_ + (epoch.loss - usual_loss_) / 4, most);
  if (!believed_) usual_loss_ = std::min(usual_loss_, epoch.loss + certainty * epoch.loss_error);
  usual_delay_ += (epoch.delay - usual_delay_) / (epoch.delay > usual_delay_ ? 4 : 16);
}

/// Of the last fall. If it was mistaken, it is undone.
bool RateFinder::undecided_or_mistaken(const RateEpoch& epoch) {
  const Verdict verdict = lower_->deep ? lower_->deep->add(carried(epoch, believed_ ? usual_loss_ : 0))
                          : believed_  ? verdict_on_told(epoch)
                                       : verdict_on_found(epoch);
  if (verdict == Verdict::open) return true;
  const Trial trial = *lower_;
  if (verdict == Verdict::lower) {
    begin_trial(trial, HeavyLoss::part_on_trial);
    return true;
  }
  lower_.reset();
  if (verdict == Verdict::right) {
    if (believed_) proven_loss_ = std::min(proven_loss_, std::max(usual_loss_, epoch.loss));
    if (trial.seen.loss > usual_loss_ + much_lost) believed_ = false;
    if (trial.deep) {
      // What was lost may have gone by itself meanwhile: then the rate is soon what it was.
      before_fading_ = trial.known;
      return false;
    }
    const double chance = certainty * std::hypot(trial.seen.loss_error, epoch.loss_error);
    const bool lost_more = trial.seen.loss - epoch.loss > std::max(loss_of_failure, chance);
    if (lost_more) policed_.too_high(rate_);
    const bool flat = !believed_ && no_queue();
    if (lost_more && flat) policed_.fell();
    // So, too, if others who lost as much fall with this rank.
    if (flat && trial.seen.loss > HeavyLoss::least)
      before_fading_ = std::min(trial.known, policed_.most_through());
    return false;
  }
  if (!believed_ && no_queue() && !trial.deep && loses_less(trial, epoch)) policed_.fell();
  const double loss = believed_ ? (trial.seen.loss + epoch.loss) / 2 : trial.seen.loss;
  const double most = trial.deep ? highest_usual_loss : std::max(proven_loss_, HeavyLoss::least);
  const bool open = !trial.deep && epoch.loss > HeavyLoss::least;
  if (believed_ || !open) {
    proven_loss_ = std::clamp(loss, proven_loss_, most);
    usual_loss_ = std::clamp(loss, usual_loss_, most);
  }
  usual_delay_ = std::max(usual_delay_, trial.seen.delay);
  set_rate(trial.before);
  if (open) heavy_.expect();
  return true;
}

RateFinder::Verdict RateFinder::verdict_on_found(const RateEpoch& epoch) const {
  const auto through = [](auto rate, const auto& at) { return rate.value * (1 - at.loss) / at.stretch; };
  const double kept = through(rate_, epoch) / through(lower_->before, lower_->seen);
  const double fallen = rate_.value / lower_->before.value;
  const bool tells = no_queue() && (policed_.limited() || fallen <= HeavyLoss::part_on_trial);
  return kept > (1 + fallen) / 2 || (tells && loses_less(*lower_, epoch)) ? Verdict::right
                                                                          : Verdict::mistaken;
}

/// Where others flood the link, too, they take what this rank leaves, but less is lost.
bool RateFinder::loses_less(const Trial& trial, const RateEpoch& epoch) const {
  const double gain = trial.seen.loss - epoch.loss;
  const double chance = std::hypot(trial.seen.loss_error, epoch.loss_error);
  return gain > std::max(certainty * chance, least_gain * (trial.seen.loss - usual_loss_));
}

RateFinder::Verdict RateFinder::verdict_on_told(const RateEpoch& epoch) {
  Trial& trial = *lower_;
  const PartSeen now = carried(epoch);
  ++trial.epochs;
  trial.since.part += (now.part - trial.since.part) / trial.epochs;
  trial.since.error += (now.error - trial.since.error) / trial.epochs;
  const double gain = trial.since.part - trial.carried.part;
  const double error = std::hypot(trial.since.error / std::sqrt(trial.epochs), trial.carried.error);
  const double least = least_gain * (1 - trial.carried.part);
  if (gain > std::max(least, certainty * error)) return Verdict::right;
  return gain > std::max(least, error) && trial.epochs < longest_trial ? Verdict::open : Verdict::mistaken;
}

void RateFinder::fall(const RateEpoch& epoch, double part) {
  Trial trial{
      .before = rate_, .known = std::max(rate_, before_fading_), .seen = epoch, .carried = carried(epoch)};
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

void RateFinder::rise() {
  if (rate_ >= most_) {
    believed_ = told_;
    return;
  }
  const BytesPerSecond before = rate_;
  const BytesPerSecond from = epochs_ > 1 || risen_from_.value == 0 ? rate_ : risen_from_;
  const BytesPerSecond known = rate_ < before_fading_ ? before_fading_ : lasting_;
  const BytesPerSecond most = std::min(rate_ < known ? known : most_, policed_.ceiling().value_or(most_));
  set_rate(std::min(most, {rate_.value * step_up}));
  before_ = before;
  risen_from_ = from;
}

void RateFinder::set_rate(BytesPerSecond rate) {
  policed_.interrupt();
  use_rate(rate);
}

void RateFinder::use_rate(BytesPerSecond rate) {
  rate_ = rate;
  heavy_ = {};
  recent_ = {};
  epochs_ = 0;
  quiet_ = 0;
  lower_.reset();
  before_.reset();
  risen_from_ = {0};
}

}  // namespace lbsp::transport
