#pragma once

#include <array>
#include <cstdint>

#include "transport/queues/arrival_gauge.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// The queues that the datagrams of a rank's peers met in a round, each beyond the least that any of its own has met.
class MetQueues {
 public:
  void begin_round();
  /// A datagram came by this path.
  void meet(std::uint32_t path, const ArrivalGauge::Seen& seen);

  /// The least of this round. A peer whose first datagrams came while the queue was full, as nearly all do where many
  /// begin to send in one round trip, takes that for none: it does not count beside those who have met a longer one.
  Duration least() const;
  /// By which the queues of one path were longer than they seemed, as this round has shown: at the most.
  Duration mistaken() const;

 private:
  struct Path {
    std::uint32_t path = 0;
    Duration longest{0};               ///< since it is here
    Duration least = Duration::max();  ///< in this round
    Duration mistaken{0};              ///< likewise
  };

  std::array<Path, 256> paths_{};  ///< of those that share a place, who has met most
};

}  // namespace lbsp::transport
