#include "transport/finder/rate_finder.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::transport {
namespace {

/// Of the rate: what must come through. What is missed is noise of loss, about 2 % of an epoch, and of
/// timers.
constexpr double enough = 0.93;
/// So little that twice in a row is no noise.
constexpr double far_too_little = 0.6;

constexpr double step_up = 1.25;
constexpr std::size_t wait_of_measured = 2;
constexpr std::size_t longest_wait_to_rise = 16;

/// Standard deviations that an epoch of a rate that is found is given: where losses come in runs, it loses a third of
/// its datagrams or none by chance, and a path that loses most varies as much.
constexpr double doubt_of_found = 1;

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
      usual_(usual_loss, told_) {
  expect_epoch();
}

bool RateFinder::fade() {
  const BytesPerSecond from = proven();
  if (told_ || from <= first_) return false;
  before_fading_ = std::max(before_fading_, from);
  set_rate(std::max(first_, {from.value / 2}));
  return true;
}

void RateFinder::raise_to(BytesPerSecond rate) {
  if (!told_ && rate > rate_) set_rate(std::min(rate, most_));
}

bool RateFinder::lower_to(BytesPerSecond rate, ShownBy shown) {
  const bool spill = shown == ShownBy::spill;
  if ((told_ && !spill) || rate >= rate_) return false;
  const BytesPerSecond from = rate_;
  if (spill) believed_ = false;
  set_rate(std::max(rate, lowest_rate));
  if (shown == ShownBy::first_flight || spill) {
    wait_ = wait_of_measured;
  } else {
    before_fading_ = std::max(before_fading_, from);
  }
  if (spill) {
    policed_.too_high(rate_);
    policed_.fell(1);
  }
  return true;
}

bool RateFinder::close_epoch() {
  dropped_without_queue_ = false;
  const BytesPerSecond before = rate_;
  judge(meter_.close());
  expect_epoch();
  return rate_ != before;
}

void RateFinder::judge(const RateEpoch& epoch) {
  usual_.note(epoch);
  if (lower_ && undecided_or_mistaken(epoch)) return;
  heavy_.note(epoch.loss);
  const Seen seen = look_at(epoch);
  const bool fails_again = std::exchange(failed_, false) && seen.fails;
  if (before_ && seen.part + seen.doubt < enough) return undo_rise(epoch, seen);
  if (!before_ && !believed_ && follow_policed(epoch)) return;
  if (limited()) usual_.loses_at_least(policed_.own_loss());
  const bool known_before = rate_ <= before_fading_;
  if (before_ && !known_before) wait_ = 0;
  before_.reset();
  fall_or_rise(epoch, seen, fails_again && !believed_);
}

RateFinder::Seen RateFinder::look_at(const RateEpoch& epoch) const {
  const bool queued = usual_.queued(epoch);
  const PartSeen carried = usual_.carried(epoch);
  const double failure = std::max(RateTrial::loss_of_failure, RateTrial::certainty * epoch.loss_error);
  // What a queue or a policer takes is no chance.
  const bool by_chance = epoch.loss > HeavyLoss::least || (!queued && !limited());
  Seen seen{.queued = queued,
            .carried = carried.part,
            .part = believed_ ? usual_.carried_at_most(epoch) : carried.part,
            .doubt = !believed_ && by_chance ? doubt_of_found * carried.error : 0};
  seen.fails = seen.part < enough && !queued && epoch.loss - usual_.loss() > failure;
  return seen;
}

void RateFinder::undo_rise(const RateEpoch& epoch, const Seen& seen) {
  const double known = std::max(lasting_.value, risen_from_.value);
  const BytesPerSecond through{std::max(margin * rate_.value * seen.carried, known)};
  undo_rise();
  failed_ = seen.fails;
  // A policer's bucket may have forgiven the rise before, too.
  if (seen.fails && !believed_ && through < rate_) use_rate(through);
  if (seen.fails) policed_.too_high(rate_);
  // Few datagrams are a low rate: others flood faster ones far sooner than a bucket hides so much.
  if (epoch.datagrams < packets_per_epoch) policed_.may_lose(std::max(epoch.loss, 1 - known / rate_.value));
  dropped_without_queue_ = !seen.queued && epoch.loss > usual_.loss() + much_lost;
}

/// `fails_again`: the epoch before has undone a rise, and this one fails, too.
void RateFinder::fall_or_rise(const RateEpoch& epoch, const Seen& seen, bool fails_again) {
  const double part = seen.part;
  const double previous = epochs_ > 0 ? recent_[(epochs_ - 1) % recent_.size()] : 1;
  recent_[epochs_++ % recent_.size()] = part + seen.doubt;
  const bool policed = limited() && !seen.queued && policed_.handles(epoch.loss);
  if (policed && part < enough) return;
  if (fails_again || std::max(part, previous) < far_too_little) return fall(epoch, part);
  if (!policed && epochs_ >= recent_.size() && median(recent_) < enough) {
    // A bucket may have forgiven the first ones.
    return fall(epoch, believed_ ? std::min(median(recent_), part) : median(recent_));
  }
  if (part < enough) return;
  usual_.learn(epoch, !limited());
  if (!believed_) usual_.loses_at_most(epoch.loss + RateTrial::certainty * epoch.loss_error);
  if (++quiet_ > first_wait) {
    lasting_ = std::max(lasting_, rate_);
    policed_.held(rate_);
  }
  if (!policed_.holds(rate_) && (quiet_ > wait_ || rate_ < before_fading_)) rise();
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

/// A told rate is given more, as its falls last.
void RateFinder::expect_epoch() {
  meter_.expect(rate_, believed_ && !(lower_ && lower_->deep));
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
  expect_epoch();
  before_.reset();
  risen_from_ = {0};
}

}  // namespace lbsp::transport
