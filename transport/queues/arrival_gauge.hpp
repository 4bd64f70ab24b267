#pragma once

#include <cstdint>

#include "transport/queues/queue_gauge.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Measures the queue that one peer's datagrams meet on their way to this rank. Each says when it was written, by its
/// sender's clock: its echo tells when a datagram of this rank arrived there, and for how long it was held.
class ArrivalGauge {
 public:
  /// A datagram with an echo, the newest of its peer.
  struct Arrival {
    std::uint32_t written_at;  ///< microseconds of the peer's clock, modulo 2^32
    std::uint64_t packets;     ///< 1 + its number
    std::uint64_t arrived;     ///< how many have come until now
  };

  struct Seen {
    Duration queue;           ///< that it met
    std::uint64_t datagrams;  ///< sent since the last one, with this one …
    std::uint64_t arrived;    ///< … and how many of them have come
    Duration mistaken{0};     ///< by which the queues before were longer than they seemed
  };

  /// What it returns stays until the next one.
  const Seen& add(const Arrival& arrival, Instant now);

  /// Whether the queue has turned out to have been longer than it seemed, by more than this, since that was last so.
  bool was_longer(Duration than);

 private:
  QueueGauge gauge_;
  bool begun_ = false;
  std::uint32_t last_written_ = 0;
  Instant written_{};  ///< the same on this rank's clock, as if the first datagram had taken no time
  std::uint64_t packets_ = 0;
  std::uint64_t arrived_ = 0;
  Duration mistaken_{0};
  Seen seen_{};
};

}  // namespace lbsp::transport
