#pragma once

#include <chrono>
#include <cstdint>

#include "tests/transport/queues/bound/queue_seen.hpp"
#include "tests/transport/start.hpp"
#include "transport/queues/bound/queue_bound.hpp"
#include "transport/queues/queue_round.hpp"

/// What echoes tell the tests of rounds, of a rank's bound and of a path's.
namespace lbsp::transport {

inline QueueSample sample(Rank peer, Duration since, Duration sent_at, Duration queue) {
  QueueSample result;
  result.peer = peer;
  result.since = start + since;
  result.sent_at = start + sent_at;
  result.queue = queue;
  result.datagrams = 4;
  result.arrived = 3;
  result.bytes = 4 * datagram_bytes;
  result.bytes_so_far = static_cast<std::uint64_t>(sent_at / 1us) * 10;  // 10 MB/s
  return result;
}

/// The sample of an echo of a rank that sends 10 Mbit/s without a pause into a queue of 90 ms.
inline QueueSample sample_of_queue(Duration sent, Duration apart) {
  const BytesPerSecond rate = megabits_per_second(10);
  QueueSample result;
  result.sent_at = start + sent;
  result.since = result.sent_at - apart;
  result.queue = 90ms;
  result.bytes = static_cast<std::uint64_t>(rate.value * seconds(apart));
  result.bytes_so_far = static_cast<std::uint64_t>(rate.value * seconds(sent));
  result.bytes_by_now = result.bytes_so_far + static_cast<std::uint64_t>(rate.value * 190e-3);
  result.datagrams = result.arrived = result.bytes / datagram_bytes;
  result.allowed = rate;
  return result;
}

inline QueueBound::Context context_beside_others() {
  return {.round_trip = 40ms,
          .datagram_bytes = datagram_bytes,
          .most = megabits_per_second(100),
          .usual_loss = 0.25,
          .may_begin = true,
          .alone = false};
}

}  // namespace lbsp::transport
