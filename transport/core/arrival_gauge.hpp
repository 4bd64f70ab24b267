#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/core/delay_gauge.hpp"
#include "transport/core/queue_round.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Measures the queue that one peer's datagrams meet on their way to this rank. Each says when it was written, by its
/// sender's clock: its echo tells when a datagram of this rank arrived there, and for how long it was held.
class ArrivalGauge {
 public:
  /// A datagram with an echo, the newest of its peer.
  struct Arrival {
    Rank peer;
    std::uint32_t written_at;  ///< microseconds of the peer's clock, modulo 2^32
    std::uint64_t packets;     ///< 1 + its number
    std::uint64_t arrived;     ///< how many have come until now
    std::size_t bytes;
    bool data;  ///< it is as long as those of data
  };

  /// What it says of the queue. It was sent, in terms of the sample, when it would have arrived without the queue.
  /// `sending`: how long what has come since the last one, from whomever, takes at the rate of one rank.
  QueueSample add(const Arrival& arrival, Duration sending, Instant now);

 private:
  DelayGauge gauge_;
  bool begun_ = false;
  std::uint32_t last_written_ = 0;
  Instant written_{};  ///< the same on this rank's clock, as if the first datagram had taken no time
  Instant sent_at_{};
  std::uint64_t packets_ = 0;
  std::uint64_t arrived_ = 0;
};

}  // namespace lbsp::transport
