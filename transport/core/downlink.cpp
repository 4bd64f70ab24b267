#include "transport/core/downlink.hpp"

#include <algorithm>
#include <utility>

namespace lbsp::transport {
namespace {

/// From when this rank decides on a grant until what was sent by it arrives, in round trips: one, and the wait for the
/// report that tells it.
constexpr double round_trips_to_answer = 1.125;
/// A bound goes on where one peer sends, as long as its datagrams meet next to no queue. That one may stand at the
/// peer's own uplink.
constexpr double hardly_any_queue = 1.5e-3;  // seconds

}  // namespace

bool Downlink::judge(QueueSample sample, const Situation& situation, Instant now) {
  offered_ += sample.bytes;
  if (!sample.data) return false;
  round_trip_ = std::max(round_trip_, situation.round_trip);
  const Duration since = now - std::exchange(last_data_at_, now);
  bool changed = bound_.sent(situation.context.datagram_bytes, situation.context.most, now);
  if (since > bound_.pause()) round_.begin(sample.sent_at);
  sample.bytes_so_far = sample.bytes_by_now = offered_;
  const double lag = round_trips_to_answer * seconds(round_trip_);
  const Instant answered = now + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(lag));
  auto seen = round_.add(sample, round_trip_, answered);
  if (!seen) return changed;
  QueueBound::Context context = situation.context;
  context.round_trip = std::exchange(round_trip_, situation.round_trip);
  if (!seen->several && !(bound_.rate() && seen->queue < hardly_any_queue)) return changed;
  seen->since = lag;
  seen->sent_since = std::min(seen->rate * lag, static_cast<double>(situation.to_come));
  return bound_.judge(*seen, context) || changed;
}

std::optional<BytesPerSecond> Downlink::rate(Instant now) const {
  return now - last_data_at_ > bound_.pause() ? bound_.after_pause() : bound_.rate();
}

}  // namespace lbsp::transport
