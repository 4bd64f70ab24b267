#include "transport/rate/delivery_bound.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// Longer than what hosts and radio links delay datagrams by.
constexpr double long_for_little = 0.25;  // seconds
/// Of what the link carries: with less it would be idle.
constexpr double least_queue = 1.5;  // datagrams

/// Of what the rank would send: where less is carried, there is a bound.
constexpr double bounded_part_of_fair = 0.25;
/// What is measured at once.
constexpr double datagrams_of_piece = 4;
/// While the queue is short, and no less than a datagram.
constexpr double round_trips_of_piece = 0.5;
constexpr double weight_of_piece = 0.5;

/// While the queue is short, more goes with each piece that is measured.
constexpr double gain_of_short_queue = 1.1;
constexpr double further_gain = 0.03;
constexpr double most_gain = 2;
constexpr double gain_of_drain = 0.5;
/// A host that has stood still for seconds looks like a link that carries nothing.
constexpr double least_per_second = 1;  // datagrams

/// Links change meanwhile.
constexpr Duration pause_that_forgets = 10s;

}  // namespace

bool DeliveryBound::echoed(const TrainMark& mark, Duration queue, const Path& path) {
  const bool bounded = bounds();
  if (mark.sent_at - last_sent_ > pause_that_forgets) *this = {};
  last_sent_ = mark.sent_at;
  if (!bounds()) {
    begin(mark, queue, path);
    return bounded || bounds();
  }
  datagram_ = static_cast<double>(path.datagram_bytes);
  const bool busy = seconds(queue) > long_for_little;
  if (busy) empty_pieces_ = 0;
  busy_ = busy_ && busy;
  if (is_piece(mark, busy, path.round_trip)) {
    measure(mark);
    busy_ = busy;
  }
  drains_ = seconds(queue) > std::max(long_for_little, least_queue * datagram_ / carried_);
  return true;
}

/// What came through while the queue grew counts, as the link may have been idle before.
void DeliveryBound::begin(const TrainMark& mark, Duration queue, const Path& path) {
  if (last_ && seconds(queue) > long_for_little) {
    const double bytes = arrived_bytes(mark);
    const double rate = bytes / std::min(seconds(queue), span(mark));
    if (bytes < static_cast<double>(path.datagram_bytes) || rate >= bounded_part_of_fair * path.fair.value)
      return;
    carried_ = rate;
    datagram_ = static_cast<double>(path.datagram_bytes);
    drains_ = busy_ = true;
  }
  last_ = mark;
}

/// Seconds in which what came since the last piece was sent or arrived, whichever is longer.
double DeliveryBound::span(const TrainMark& mark) const {
  const std::chrono::microseconds arriving{static_cast<std::int32_t>(mark.arrived_at - last_->arrived_at)};
  return std::max(seconds(std::max<Duration>(arriving, mark.sent_at - last_->sent_at)), 1e-6);
}

double DeliveryBound::arrived_bytes(const TrainMark& mark) const {
  const auto sent = static_cast<double>(std::max<std::uint64_t>(mark.packets - last_->packets, 1));
  return static_cast<double>(mark.bytes - last_->bytes) * (mark.arrived - last_->arrived) / sent;
}

bool DeliveryBound::is_piece(const TrainMark& mark, bool busy, Duration round_trip) const {
  if (busy) return arrived_bytes(mark) >= datagrams_of_piece * datagram_;
  return arrived_bytes(mark) >= datagram_ && span(mark) >= round_trips_of_piece * seconds(round_trip);
}

void DeliveryBound::measure(const TrainMark& mark) {
  const double rate = arrived_bytes(mark) / span(mark);
  last_ = mark;
  if (busy_) {
    carried_ += weight_of_piece * (rate - carried_);
  } else {
    carried_ = std::clamp(rate, carried_, most_gain * carried_);
    ++empty_pieces_;
  }
}

BytesPerSecond DeliveryBound::bound() const {
  const double faster = std::min(gain_of_short_queue + further_gain * empty_pieces_, most_gain);
  return {std::max((drains_ ? gain_of_drain : faster) * carried_, least_per_second * datagram_)};
}

}  // namespace lbsp::transport
