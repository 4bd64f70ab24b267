#pragma once

#include <chrono>
#include <cstddef>

#include "tests/transport/start.hpp"
#include "transport/queues/bound/queue_bound.hpp"

/// What the tests of queue bounds judge.
namespace lbsp::transport {

using namespace std::chrono_literals;

inline constexpr std::size_t datagram_bytes = 1400;

inline QueueBound::Context context() {
  return {.round_trip = 40ms,
          .datagram_bytes = datagram_bytes,
          .most = megabits_per_second(100),
          .usual_loss = 0.05,
          .may_begin = true,
          .alone = true};
}

/// Of half a round trip at `rate` Mbit/s, which went on for the round trip until the echo came.
inline QueueSeen seen(double queue, double growth, double loss = 0.05, double rate = 50) {
  QueueSeen result;
  result.queue = queue;
  result.growth = result.sure_growth = growth;
  result.loss = loss;
  result.rate = megabits_per_second(rate).value;
  result.since = 40e-3;
  result.sent_since = 40e-3 * result.rate;
  result.datagrams = 90;
  return result;
}

inline double megabits(const QueueBound& bound) {
  return bound.rate() ? bound.rate()->value * 8e-6 : 0;
}

}  // namespace lbsp::transport
