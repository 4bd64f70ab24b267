#include "transport/core/rate_control.hpp"

#include <algorithm>
#include <utility>

#include "transport/core/datagram_sizes.hpp"

namespace lbsp::transport {
namespace {

/// Echoes further apart than this say little of how delays vary.
constexpr Duration longest_interval = std::chrono::milliseconds{500};
/// Where delays become longer at once by as much as this, a path is seen without a queue now and then.
constexpr double much_variation = 2e-3;  // seconds

/// A rate that was found halves after so much time without data, and again after each further time. Others may have
/// come.
constexpr Duration lasting = std::chrono::seconds{10};
constexpr Duration further = std::chrono::seconds{5};

}  // namespace

RateControl::RateControl(const ExchangeOptions& options, double usual_loss, Instant now)
    : told_(!options.find_rate),
      rate_(options.rate),
      pacer_(rate_, first_datagram_bytes(options), now),
      busy_at_(now) {
  // The rounds of the paper's schemes are as long as the rate that the options name makes them.
  if (options.recovery == Recovery::receiver)
    finder_.emplace(options.rate, options.find_rate ? highest_found_rate : options.rate, usual_loss);
}

std::uint32_t RateControl::train() {
  if (paused_) ++train_;
  paused_ = false;
  return train_;
}

bool RateControl::echoed(TrainMark& last, const TrainMark& mark, Instant now) {
  const TrainMark before = std::exchange(last, mark);
  if (!finder_) return false;
  note_chance(last, before);
  if (before.train != mark.train || mark.train < first_at_rate_ || drain_.active()) return false;
  last.epoch = finder_->meter().epoch();
  const std::chrono::microseconds arriving{static_cast<std::int32_t>(mark.arrived_at - before.arrived_at)};
  const TrainPart part{mark.packets - before.packets, mark.arrived - before.arrived,
                       mark.sent_at - before.sent_at, arriving, before.epoch != last.epoch};
  const BytesPerSecond proven = finder_->proven();
  if (!finder_->add(part)) return false;
  const bool changed = use_rate(now);
  if (finder_->rate() < proven && may_hide_queue() && drain_.begin(round_trip_, now)) use_pace(now);
  return changed;
}

/// From before the rank came.
bool RateControl::may_hide_queue() const {
  return round_trip_ < Duration::max() && (!told_ || variation_ < much_variation);
}

bool RateControl::queued(const QueueSample& sample, const QueueBound::Context& context, Instant now) {
  round_trip_ = context.round_trip;
  variation_ = sample.variation;
  const bool drains = told_ && context.takes_long && !bound_.rate() && may_hide_queue();
  if (drains && drain_.begin(round_trip_, now)) use_pace(now);
  const bool bounded = bound_.rate().has_value();
  if (!bound_.judge(sample, context, now)) return false;
  if (!bounded && finder_) finder_->undo_rise();
  return use_rate(now);
}

bool RateControl::sent(std::size_t bytes, Instant now) {
  const bool data = bytes > small_datagram_bytes;
  const bool faded = data && fade(now - std::exchange(busy_at_, now));
  const bool bounded = bound_.sent(bytes, found(), now);
  const bool changed = (faded || bounded) && use_rate(now);
  if (drain_.sent(now)) use_pace(now);
  bytes_sent_ += bytes;
  pacer_.sent(bytes);
  return changed;
}

bool RateControl::fade(Duration idle) {
  bool changed = false;
  for (; finder_ && idle >= lasting; idle -= further) {
    if (!finder_->fade()) break;
    changed = true;
  }
  return changed;
}

/// Where the bound is, it alone looks for more, in smaller steps than the finder.
bool RateControl::use_rate(Instant now) {
  const BytesPerSecond rate = std::min(bound_.rate().value_or(found()), limit_.value_or(highest_found_rate));
  if (rate == rate_) return false;
  rate_ = rate;
  drain_.end();
  use_pace(now);
  return true;
}

void RateControl::use_pace(Instant now) {
  pacer_.set_rate({rate_.value * drain_.part()}, now);
  first_at_rate_ = train_ + 1;
  paused_ = true;
}

void RateControl::note_chance(TrainMark& last, const TrainMark& before) {
  EpochMeter& meter = finder_->meter();
  meter.losses(last.loss, last.loss_after_loss);
  const Duration sending = last.sent_at - before.sent_at;
  if (before.train == 0 || sending > longest_interval) return;
  const std::chrono::microseconds arriving{static_cast<std::int32_t>(last.arrived_at - before.arrived_at)};
  last.late = arriving - sending;
  if (before.late) meter.varied(*last.late - *before.late);
}

}  // namespace lbsp::transport
