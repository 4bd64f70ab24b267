#include "transport/core/queue_bound.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "transport/core/endpoint_config.hpp"

namespace lbsp::transport {
namespace {

/// A queue stands if the least that a quarter of a round trip's datagrams met is longer than this, a tenth of the round
/// trip and two datagrams.
constexpr double tolerated_queue = 3e-3;  // seconds

/// Steps, in parts of the rate: this at 25 Mbit/s, and twice it at a quarter of that.
constexpr double step_at_scale = 0.06;
constexpr double scale = 25e6 / 8;
constexpr double least_step = 0.01;
constexpr double most_step = 0.25;
/// Without it, a rank alone would keep a queue that is longer by a step.
constexpr double leak = 0.02;

/// What stands too long is to be gone after so many. What is sent at the next rate shows only after more than one, so
/// fewer than three would make the rate swing.
constexpr double drain_round_trips = 4;

/// Delays that change by more, and by more than a datagram takes, from one datagram to the next, do so for other
/// reasons than a queue.
constexpr double least_jump = 0.6e-3;  // seconds

/// A queue that grows so fast, in seconds per second, soon stands.
constexpr double filling = 0.08;

constexpr double noise_of_loss = 0.02;
constexpr double most_excess = 0.9;
/// Losses and queues that no jitter makes.
constexpr double heavy_loss = 0.35;
constexpr double long_queue = 20e-3;  // seconds

/// Of the bound: who sends less is not limited by it.
constexpr double in_use = 0.7;

/// Datagrams of own loss that count as much as all before.
constexpr double memory_of_loss = 250;
constexpr double weight_of_round = 0.3;  // in remembered_
/// If so many datagrams have met no queue, …
constexpr int datagrams_of_burst = 16;
/// … the bound after the next pause is higher.
constexpr double growth_in_pause = 1.25;
constexpr Duration shortest_pause = std::chrono::milliseconds{20};

}  // namespace

bool QueueBound::judge(const QueueSeen& seen, const Context& context) {
  datagram_bytes_ = context.datagram_bytes;
  round_trip_ = context.round_trip;
  const double round_trip = seconds(context.round_trip);
  const double datagram = static_cast<double>(context.datagram_bytes) / seen.rate;
  const double tolerated = std::max({tolerated_queue, round_trip / 10, 2 * datagram});
  if (!own_loss_) own_loss_ = context.usual_loss;
  if (seen.queue < tolerated / 2)
    *own_loss_ += (seen.loss - *own_loss_) * seen.datagrams / (seen.datagrams + memory_of_loss);
  if (!rate_ && !(seen.queue > tolerated && context.may_begin)) return false;
  const bool beyond_doubt = seen.loss > heavy_loss || seen.queue > std::max(1.2 * round_trip, long_queue);
  const std::optional<BytesPerSecond> before = rate_;
  if (seen.jump > std::max(least_jump, datagram) && !beyond_doubt) {
    rate_.reset();
    remembered_.reset();
    return before.has_value();
  }
  const double allowed = rate_ ? rate_->value : seen.rate;
  const bool used = seen.rate >= in_use * allowed;
  const double next = next_rate(seen, used ? seen.rate : allowed, tolerated, round_trip);
  const double least = 2 * static_cast<double>(context.datagram_bytes) / (round_trip + seen.queue / 4);
  rate_ = BytesPerSecond{std::max(used ? next : std::min(next, allowed), least)};
  if (rate_->value >= context.most.value) rate_.reset();
  return rate_ != before;
}

double QueueBound::next_rate(const QueueSeen& seen, double base, double tolerated, double round_trip) {
  const double step = std::clamp(step_at_scale * std::sqrt(scale / seen.rate), least_step, most_step);
  const double drain = (seen.queue - tolerated) / (drain_round_trips * round_trip + seen.queue);
  const double drift = 1 + step - leak - drain;
  const bool fills = seen.queue > tolerated / 4 && seen.growth > filling;
  if (seen.queue > tolerated || fills) {
    const double excess =
        std::clamp((seen.loss - *own_loss_) / (1 - *own_loss_) - noise_of_loss, 0.0, most_excess);
    carried_ = base * (1 - excess) / (1 + std::clamp(seen.growth, -0.3, 3.0));
    note_carried(carried_);
    empty_rounds_ = 0;
    return carried_ * drift;
  }
  if (seen.queue >= tolerated / 2) return base * drift;
  ++empty_rounds_;
  const double faster = base * std::min(1 + step * std::max(1, empty_rounds_ - 1), 1 + most_step);
  return std::max({base * drift, faster, carried_});
}

void QueueBound::note_carried(double carried) {
  if (!remembered_ || std::exchange(burst_begun_, false)) {
    remembered_ = carried;
  } else {
    *remembered_ += weight_of_round * (carried - *remembered_);
  }
}

Duration QueueBound::pause() const {
  const Duration paced = rate_ ? rate_->time_for(4.0 * static_cast<double>(datagram_bytes_)) : Duration{0};
  return std::max({round_trip_ / 2, shortest_pause, paced});
}

bool QueueBound::sent(std::size_t bytes, BytesPerSecond most, Instant now) {
  if (2 * bytes < datagram_bytes_) return false;
  ++burst_datagrams_;
  const Duration since = now - std::exchange(last_sent_, now);
  if (!remembered_ || since <= pause()) return false;
  rate_.reset();
  if (*remembered_ < most.value) rate_ = BytesPerSecond{*remembered_};
  empty_rounds_ = 0;
  if (std::exchange(burst_datagrams_, 0) >= datagrams_of_burst) *remembered_ *= growth_in_pause;
  if (*remembered_ > highest_found_rate.value) remembered_.reset();
  carried_ = 0;
  burst_begun_ = true;
  return true;
}

}  // namespace lbsp::transport
