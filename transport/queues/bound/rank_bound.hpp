#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "transport/queues/bound/queue_bound.hpp"
#include "transport/queues/common_queue.hpp"
#include "transport/queues/queue_round.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Bounds the rate of all that a rank sends to other hosts while all that goes to several of them meets a queue: it
/// stands where their paths are one, at the rank's own uplink.
class RankBound {
 public:
  /// Takes what an echo says; whether that changed the bound.
  bool judge(const QueueSample& sample, const QueueBound::Context& context, Instant now);
  /// A datagram goes out; whether that changed the bound.
  bool sent(std::size_t bytes, BytesPerSecond most, Instant now) { return bound_.sent(bytes, most, now); }

  /// See UplinkRate.
  void begin_anew() {
    queues_ = {};
    round_ = {};
    last_sent_at_ = {};
    bytes_so_far_ = 0;
  }

  std::optional<BytesPerSecond> rate() const { return bound_.rate(); }
  /// As QueueBound::ended_by_jumps().
  bool ended_by_jumps() const { return bound_.ended_by_jumps(); }
  const CommonQueue& queues() const { return queues_; }

 private:
  bool after_pause(const QueueSample& sample, Duration round_trip);

  CommonQueue queues_;
  QueueRound round_;
  QueueBound bound_;
  Instant last_sent_at_{};
  std::uint64_t bytes_so_far_ = 0;  ///< when that was sent
};

}  // namespace lbsp::transport
