#pragma once

#include <cstdint>

#include "transport/core/queue_round.hpp"
#include "transport/wire/echo.hpp"

namespace lbsp::transport {

/// Tells the loss of a path itself from what queues drop when they are full: datagrams that met no queue are lost by
/// the path. Redundancy is planned for the path's own loss. Planned for drops, it would fill the queue that drops.
class OwnLoss {
 public:
  /// What a peer reports of `datagrams`.
  struct Seen {
    LossReport report;
    std::uint64_t datagrams = 0;
  };

  /// Takes what an echo says. `round_trip`: the least.
  void add(const QueueSample& sample, Duration round_trip);

  /// What is to be expected of the path, if its peer reports `all`: the loss of what met no queue if that is certainly
  /// less, else the same.
  Seen of(const Seen& all) const;

 private:
  Duration queue_before_ = Duration::max();  ///< that the newest datagram of the echo before met
  double datagrams_ = 0;                     ///< that met no queue …
  double lost_ = 0;                          ///< … and how many of these were lost
};

}  // namespace lbsp::transport
