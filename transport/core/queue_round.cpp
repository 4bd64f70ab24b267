#include "transport/core/queue_round.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace lbsp::transport {
namespace {

constexpr std::uint64_t least_datagrams = 8;
constexpr int least_samples = 2;

}  // namespace

std::optional<QueueSeen> QueueRound::add(const QueueSample& sample, Duration round_trip, Instant now) {
  if (sample.sent_at < begun_) return std::nullopt;
  if (!first_ && sample.data) {
    first_ = last_ = sample;
    part_.begun = sample.sent_at;
  }
  if (first_ && sample.since >= first_->sent_at) {
    datagrams_ += sample.datagrams;
    arrived_ += sample.arrived;
    bytes_ += sample.bytes;
  }
  if (!sample.data) return std::nullopt;
  if (sample.sent_at > last_.sent_at) last_ = sample;
  jumps_ += sample.jump;
  variation_ = std::max(variation_, sample.variation);
  ++samples_;
  if (part_.samples++ == 0) part_.peer = sample.peer;
  part_.several = part_.several || sample.peer != part_.peer;
  if (sample.queue < part_.queue) {
    part_.queue = sample.queue;
    part_.at = sample.sent_at;
  }
  if (part_.samples < least_samples || sample.sent_at - part_.begun < round_trip / 4) return std::nullopt;
  if (!before_) {
    before_ = std::exchange(part_, {.begun = sample.sent_at});
    return std::nullopt;
  }
  if (datagrams_ < least_datagrams) return std::nullopt;
  const QueueSeen result = seen(sample.bytes_by_now, now);
  begin(now);
  return result;
}

QueueSeen QueueRound::seen(std::uint64_t bytes_by_now, Instant now) const {
  const double sending = std::max(seconds(last_.sent_at - first_->sent_at), 1e-6);
  return {.queue = seconds(part_.queue),
          .growth = seconds(last_.queue - first_->queue) / sending,
          .loss = 1 - std::min(1.0, static_cast<double>(arrived_) / static_cast<double>(datagrams_)),
          .datagrams = static_cast<double>(datagrams_),
          .bytes = static_cast<double>(bytes_),
          .rate = static_cast<double>(last_.bytes_so_far - first_->bytes_so_far) / sending,
          .sending = sending,
          .between = seconds(part_.begun - before_->begun),
          .earlier_at = before_->at,
          .later_at = part_.at,
          .since = seconds(now - last_.sent_at),
          .sent_since = static_cast<double>(std::max(bytes_by_now, last_.bytes_so_far) - last_.bytes_so_far),
          .jump = jumps_ / samples_,
          .variation = variation_,
          .several = before_->several && part_.several};
}

}  // namespace lbsp::transport
