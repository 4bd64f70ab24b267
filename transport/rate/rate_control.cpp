#include "transport/rate/rate_control.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "transport/paths/datagram_sizes.hpp"

namespace lbsp::transport {
namespace {

/// Echoes further apart than this say little of how delays vary.
constexpr Duration longest_between_echoes = std::chrono::milliseconds{500};

/// A rank looks so often at what the others of its host have to send …
constexpr Duration between_looks = std::chrono::milliseconds{2};
/// … and wakes up for it at the latest after this.
constexpr Duration longest_between_looks = std::chrono::milliseconds{10};
/// What is needed at the end of a leg, for repairs and the planned redundancy: a part of its bytes, and some datagrams.
constexpr double least_of_leg = 0.125;
constexpr double least_demand_datagrams = 8;

std::shared_ptr<HostUplink> of_one_rank(const ExchangeOptions& options, double usual_loss, Instant now) {
  return std::make_shared<HostUplink>(
      1, UplinkRate(options, options.find_rate ? highest_found_rate : options.rate, usual_loss, now));
}

}  // namespace

RateControl::RateControl(const ExchangeOptions& options, double usual_loss, Instant now,
                         std::shared_ptr<HostUplink> shared, Rank seat)
    : uplink_(shared ? std::move(shared) : of_one_rank(options, usual_loss, now)),
      seat_(seat),
      finds_(options.recovery == Recovery::receiver),
      rate_(options.rate),
      share_(options.rate),
      pacer_(rate_, first_datagram_bytes(options), now),
      least_demand_(least_demand_datagrams * static_cast<double>(first_datagram_bytes(options))) {}

RateControl::RateControl(const ExchangeOptions& options, const UplinkRate& found, Instant now)
    : RateControl(options, 0, now, std::make_shared<HostUplink>(1, found)) {
  uplink_->change([](UplinkRate& rate) {
    rate.begin_anew();
    return true;
  });
  use_rate(now);
}

std::uint32_t RateControl::train() {
  if (paused_) ++train_;
  paused_ = false;
  return train_;
}

void RateControl::pause(Instant now) {
  if (!std::exchange(paused_, true)) held_.end(now);
  if (std::exchange(wanting_, false)) uplink_->demand(seat_, 0, looked_at_);
}

void RateControl::begin_leg(std::uint64_t bytes) {
  leg_bytes_ = unsent_bytes_ = static_cast<double>(bytes);
}

BytesPerSecond RateControl::rate_of_leg(Leg leg, double bytes) {
  if (sharers() == 1) return rate_;
  return limited({host_rate().value * uplink_->begin_leg(seat_, leg, bytes, least_demand_)});
}

bool RateControl::refresh(Instant now) {
  if (sharers() > 1 && (!wanting_ || now - looked_at_ >= between_looks)) look_at_others(now);
  return uplink_->version() != version_ && use_rate(now);
}

void RateControl::look_at_others(Instant now) {
  wanting_ = true;
  looked_at_ = now;
  uplink_->demand(seat_, std::max(unsent_bytes_, least_of_leg * leg_bytes_) + least_demand_, now);
  use_share(now);
}

Instant RateControl::next_release() const {
  const Instant release = pacer_.next_release();
  return wanting_ ? std::min(release, looked_at_ + longest_between_looks) : release;
}

bool RateControl::echoed(TrainMark& last, const TrainMark& mark, Instant now) {
  const TrainMark before = std::exchange(last, mark);
  if (!finds_) return false;
  const Duration sending = mark.sent_at - before.sent_at;
  const std::chrono::microseconds arriving{static_cast<std::int32_t>(mark.arrived_at - before.arrived_at)};
  std::optional<Duration> difference;
  if (before.train != 0 && sending <= longest_between_echoes) {
    last.late = arriving - sending;
    if (before.late) difference = *last.late - *before.late;
  }
  const bool of_rate = before.train >= first_at_rate_ && part_ == 1;
  uplink_->change([&](UplinkRate& rate) {
    rate.note_chance(difference, last.loss, last.loss_after_loss);
    if (!of_rate) return false;
    if (before.train != mark.train)
      return rate.echoed_untimed(mark.packets - before.packets, mark.arrived - before.arrived, held_.mean(),
                                 now);
    last.epoch = rate.epoch();
    return rate.echoed({mark.packets - before.packets, mark.arrived - before.arrived, sending, arriving,
                        before.epoch != last.epoch},
                       now);
  });
  return use_rate(now);
}

bool RateControl::queued(const QueueSample& sample, const QueueBound::Context& context, Instant now) {
  uplink_->change([&](UplinkRate& rate) { return rate.queued(sample, context, now); });
  return use_rate(now);
}

bool RateControl::sent(std::size_t bytes, Instant now) {
  uplink_->change([&](UplinkRate& rate) { return rate.sent(bytes, now); });
  const bool changed = use_rate(now);
  uplink_->add_bytes(bytes);
  unsent_bytes_ = std::max(0.0, unsent_bytes_ - static_cast<double>(bytes));
  pacer_.sent(bytes);
  return changed;
}

bool RateControl::look_from(BytesPerSecond rate, RateFinder::ShownBy shown, Instant now) {
  uplink_->change([&](UplinkRate& uplink) { return uplink.look_from(rate, shown); });
  return use_rate(now);
}

bool RateControl::limit(std::optional<BytesPerSecond> most, Instant now) {
  limit_ = most;
  version_ = 0;
  return use_rate(now);
}

/// Whether the rate has changed. If only what is to be sent of it has, as in a drain, trains begin anew, too.
bool RateControl::use_rate(Instant now) {
  const std::uint32_t version = uplink_->version();
  if (std::exchange(version_, version) == version) return false;
  const BytesPerSecond rate = limited({host_rate().value / sharers()});
  const double part = uplink_->part();
  const bool changed = rate != std::exchange(rate_, rate);
  const bool drains_or_ends = part != std::exchange(part_, part);
  if (changed || drains_or_ends) use_pace(now);
  return changed;
}

void RateControl::use_pace(Instant now) {
  use_share(now);
  pacer_.set_rate({share_.value * part_}, now);
  first_at_rate_ = train_ + 1;
  paused_ = true;
}

/// Of a rate that has not changed.
void RateControl::use_share(Instant now) {
  const BytesPerSecond before = share_;
  share_ = limited({host_rate().value * uplink_->share(seat_, now)});
  if (share_ != before) pacer_.adjust_rate({share_.value * part_}, now);
}

}  // namespace lbsp::transport
