#include "transport/rate/uplink_rate.hpp"

#include <chrono>
#include <utility>

#include "transport/paths/datagram_sizes.hpp"

namespace lbsp::transport {
namespace {

/// Where delays become longer at once by as much as this, a path is seen without a queue now and then.
constexpr double much_variation = 2e-3;  // seconds

/// A superstep takes clearly longer where trains wait for their rate for more than this part of a round trip.
constexpr int much_held_part = 8;

/// A rate that was found halves after so much time without data, and again after each further time. Others may have
/// come.
constexpr Duration lasting = std::chrono::seconds{10};
constexpr Duration further = std::chrono::seconds{5};

/// Of a bound that ends, where far less has been found: it may be a little more than what is carried.
constexpr double part_after_bound = 0.7;
constexpr double far_less = 0.5;

}  // namespace

UplinkRate::UplinkRate(const ExchangeOptions& options, BytesPerSecond most, double usual_loss, Instant now)
    : told_rate_(options.rate), told_(!options.find_rate), busy_at_(now), last_rate_(options.rate) {
  // The rounds of the paper's schemes are as long as the rate that the options name makes them.
  if (options.recovery == Recovery::receiver) finder_.emplace(options.rate, most, usual_loss);
}

bool UplinkRate::sent(std::size_t bytes, Instant now) {
  const bool data = bytes > small_datagram_bytes;
  const bool faded = data && fade(now - std::exchange(busy_at_, now));
  const std::optional<BytesPerSecond> bound = bound_.rate();
  const bool bounded = bound_.sent(bytes, found(), now);
  // The bound may have begun where too low a rate had been found, as what went before was still in the queue.
  const bool ends = bound && !bound_.rate();
  if (ends && finder_ && found().value < far_less * bound->value)
    finder_->raise_to({part_after_bound * bound->value});
  const bool changed = (faded || bounded) && rate_changed();
  return drain_.sent(rate().time_for(static_cast<double>(bytes)), now) || changed;
}

bool UplinkRate::fade(Duration idle) {
  bool changed = false;
  for (; finder_ && idle >= lasting; idle -= further) {
    if (!finder_->fade()) break;
    changed = true;
  }
  return changed;
}

bool UplinkRate::look_from(BytesPerSecond rate, RateFinder::ShownBy shown) {
  return finder_ && finder_->lower_to(rate, shown) && rate_changed();
}

void UplinkRate::note_chance(std::optional<Duration> difference, double loss, double loss_after_loss) {
  if (!finder_) return;
  EpochMeter& meter = finder_->meter();
  meter.losses(loss, loss_after_loss);
  if (difference) meter.varied(*difference);
}

bool UplinkRate::echoed(const TrainPart& part, Instant now) {
  if (!finder_) return false;
  const BytesPerSecond proven = finder_->proven();
  return finder_->add(part, bound_.rate().has_value()) && found_after(proven, now);
}

bool UplinkRate::echoed_untimed(std::uint64_t sent, std::uint64_t arrived, Duration held, Instant now) {
  if (!finder_) return false;
  const bool holds_up = !bound_.rate() && held > round_trip_ / much_held_part;
  const BytesPerSecond proven = finder_->proven();
  return finder_->add_untimed(sent, arrived, holds_up) && found_after(proven, now);
}

/// The finder has changed its rate; `proven`: before.
bool UplinkRate::found_after(BytesPerSecond proven, Instant now) {
  const bool changed = rate_changed();
  const bool too_much =
      (finder_->rate() < proven && !finder_->tries_loss()) || finder_->dropped_without_queue();
  const bool drains = too_much && may_hide_queue() && drain_.begin(round_trip_, now);
  return drains || changed;
}

/// From before the host came.
bool UplinkRate::may_hide_queue() const {
  return round_trip_ < Duration::max() && (!told_ || variation_ < much_variation);
}

bool UplinkRate::queued(const QueueSample& sample, const QueueBound::Context& context, Instant now) {
  round_trip_ = context.round_trip;
  variation_ = sample.variation;
  const bool may_drain = told_ && context.takes_long && !bound_.rate() && may_hide_queue();
  const bool drains = may_drain && drain_.begin(round_trip_, now);
  const std::optional<BytesPerSecond> before = bound_.rate();
  if (!bound_.judge(sample, context, now)) return drains;
  if (!before && finder_) finder_->undo_rise();
  // Nothing has shown that what was found before it is still carried. Where delays vary the bound was a mistake.
  if (before && bound_.ended_by_jumps() && finder_ && variation_ < much_variation)
    finder_->lower_to(*before, RateFinder::ShownBy::end_of_bound);
  const bool begins_or_ends = before.has_value() != bound_.rate().has_value();
  return rate_changed() || drains || begins_or_ends;
}

/// Where the bound is, it alone looks for more, in smaller steps than the finder.
bool UplinkRate::rate_changed() {
  if (std::exchange(last_rate_, rate()) == rate()) return false;
  drain_.end();
  return true;
}

}  // namespace lbsp::transport
