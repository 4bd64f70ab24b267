#include "transport/queues/queue_round.hpp"

#include <algorithm>
#include <chrono>

namespace lbsp::transport {
namespace {

constexpr std::uint64_t least_datagrams_of_round = 8;
/// Of a burst.
constexpr int samples_of_short_burst = 6;
constexpr std::uint64_t datagrams_of_short_burst = 32;
/// Of a flood.
constexpr int samples_of_flood = 6;
constexpr std::uint64_t datagrams_of_flood = 64;
constexpr Duration least_flood = std::chrono::milliseconds{40};
constexpr double most_of_half = 0.7;

/// Nothing is sent for so much longer than it takes to send what is: a pause.
constexpr Duration shortest_rest = std::chrono::milliseconds{2};
constexpr int rests_in_round_trip = 8;

}  // namespace

std::optional<QueueSeen> QueueRound::add(const QueueSample& sample, Duration round_trip, Instant now) {
  if (sample.sent_at < begun_) return std::nullopt;
  if (!first_ && sample.data) {
    first_ = last_ = sample;
    halves_ = RoundHalves(sample.sent_at);
  }
  count(sample);
  if (!sample.data) return std::nullopt;
  note(sample, round_trip);
  if (!halves_.add(sample, round_trip) || datagrams_ < least_datagrams_of_round) return std::nullopt;
  const QueueSeen result = seen_by_halves(now);
  begin(now);
  return result;
}

/// What became of the datagrams that it tells of.
void QueueRound::count(const QueueSample& sample) {
  if (first_ && sample.since >= first_->sent_at) {
    datagrams_ += sample.datagrams;
    arrived_ += sample.arrived;
    bytes_ += sample.bytes;
  }
  if (sample.marks && sample.marks->since >= begun_) {
    marks_.marked += sample.marks->marked;
    marks_.arrived += sample.marks->arrived;
  }
}

/// The queue that the newest of them has met.
void QueueRound::note(const QueueSample& sample, Duration round_trip) {
  note_pause(sample, round_trip);
  if (sample.sent_at > last_.sent_at) last_ = sample;
  longest_ = std::max(longest_, sample.queue);
  bytes_by_now_ = std::max(bytes_by_now_, sample.bytes_by_now);
  mistaken_ += sample.mistaken;
  if (halves_.earlier()) mistaken_of_late_ += sample.mistaken;
  jumps_ += sample.jump;
  variation_ = std::max(variation_, sample.variation);
  if (static_cast<std::size_t>(samples_) < points_.size())
    points_[static_cast<std::size_t>(samples_)] = {sample.bytes_so_far, sample.queue};
  ++samples_;
}

void QueueRound::note_pause(const QueueSample& sample, Duration round_trip) {
  if (sample.sent_at <= last_.sent_at || !(sample.allowed > BytesPerSecond{0})) return;
  const auto bytes = sample.bytes_after(last_.bytes_so_far);
  if (!bytes) return;
  const Duration pause =
      sample.sent_at - last_.sent_at - sample.allowed.time_for(static_cast<double>(*bytes));
  if (pause > std::max(shortest_rest, round_trip / rests_in_round_trip)) pauses_ += pause;
}

/// A queue that no datagram of a burst finds empty any more is as long as the last one met.
std::optional<QueueSeen> QueueRound::flood(Duration round_trip, Instant now) {
  if (!first_ || halves_.earlier() || samples_ < samples_of_flood || datagrams_ < datagrams_of_flood)
    return std::nullopt;
  const Duration filled = last_.queue - first_->queue;
  if (filled <= std::max(least_flood, round_trip / 2) || filled <= last_.sent_at - first_->sent_at ||
      !grows_steadily())
    return std::nullopt;
  QueueSeen result = seen(now);
  result.variation = 0;
  result.flood = true;
  begin(now);
  return result;
}

std::optional<QueueSeen> QueueRound::burst(Instant now) const {
  if (!first_ || samples_ < samples_of_short_burst || datagrams_ < datagrams_of_short_burst)
    return std::nullopt;
  QueueSeen result = seen(now);
  result.queue = result.longest;
  result.several = result.several || (halves_.earlier() && halves_.earlier()->several);
  return result;
}

bool QueueRound::grows_steadily() const {
  const std::uint64_t half = first_->bytes_so_far + last_.bytes_after(first_->bytes_so_far).value_or(0) / 2;
  const auto count = std::min(static_cast<std::size_t>(samples_), points_.size());
  Duration longest{0};
  for (std::size_t i = 0; i < count; ++i)
    if (points_[i].bytes <= half) longest = std::max(longest, points_[i].queue);
  return seconds(longest - first_->queue) < most_of_half * seconds(last_.queue - first_->queue);
}

QueueSeen QueueRound::seen(Instant now) const {
  const double sending = std::max(seconds(last_.sent_at - first_->sent_at), 1e-6);
  const double busy = std::max(seconds(last_.sent_at - first_->sent_at - pauses_), 1e-6);
  const auto sent = static_cast<double>(last_.bytes_after(first_->bytes_so_far).value_or(bytes_));
  return {.queue = seconds(last_.queue),
          .growth = seconds(last_.queue - first_->queue) / sending,
          .sure_growth = seconds(last_.queue - first_->queue) / sending,
          .mistaken = seconds(mistaken_),
          .mistaken_of_late = seconds(mistaken_of_late_),
          .loss = 1 - std::min(1.0, static_cast<double>(arrived_) / static_cast<double>(datagrams_)),
          .marked = marks_.arrived > 0 ? static_cast<double>(marks_.marked) / marks_.arrived : 0,
          .datagrams = static_cast<double>(datagrams_),
          .bytes = static_cast<double>(bytes_),
          .rate = sent / sending,
          .busy_rate = sent / busy,
          .longest = seconds(longest_),
          .sending = sending,
          .between = sending,
          .earlier_at = first_->sent_at,
          .later_at = halves_.later().at,
          .since = seconds(now - last_.sent_at),
          .sent_since = static_cast<double>(std::max(bytes_by_now_, last_.bytes_so_far) - last_.bytes_so_far),
          .jump = jumps_ / samples_,
          .variation = variation_,
          .several = halves_.later().several};
}

QueueSeen QueueRound::seen_by_halves(Instant now) const {
  const RoundHalves::Half& earlier = *halves_.earlier();
  const RoundHalves::Half& later = halves_.later();
  QueueSeen result = seen(now);
  result.queue = seconds(later.queue);
  result.between = seconds(later.begun - earlier.begun);
  result.sure_growth =
      std::min(result.growth, seconds(later.queue - earlier.queue) / std::max(result.between, 1e-6));
  result.earlier_at = earlier.at;
  result.several = earlier.several && later.several;
  return result;
}

}  // namespace lbsp::transport
