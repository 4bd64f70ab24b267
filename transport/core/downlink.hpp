#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "transport/core/queue_bound.hpp"
#include "transport/core/queue_round.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Bounds the rate of all that comes to a rank from other hosts while datagrams from several of them meet a queue: it
/// stands where their paths are one, at the rank's own downlink. The rank grants its peers their parts of it.
class Downlink {
 public:
  struct Situation {
    Duration round_trip;    ///< of the path on which the datagram came, the least
    std::uint64_t to_come;  ///< bytes that are lacking of messages to this rank
    QueueBound::Context context;
  };

  /// Takes what ArrivalGauge says of a datagram. Whether the bound has changed.
  bool judge(QueueSample sample, const Situation& situation, Instant now);

  /// What the peers together may send from now on; nullopt: as much as they like.
  std::optional<BytesPerSecond> rate(Instant now) const;

  /// Bytes that peers have sent to this rank.
  std::uint64_t offered() const { return offered_; }

 private:
  QueueRound round_;
  QueueBound bound_;
  std::uint64_t offered_ = 0;
  Duration round_trip_{0};
  Instant last_data_at_{};
};

}  // namespace lbsp::transport
