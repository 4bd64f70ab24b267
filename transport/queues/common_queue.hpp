#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "transport/units.hpp"

namespace lbsp::transport {

/// What queues the datagrams of the last second have met, by when they were sent. What all paths have in common is a
/// queue at this end.
class CommonQueue {
 public:
  void add(Rank peer, Instant sent, Duration queue);
  /// The least that datagrams met which were sent at about `at` to others than `peer`; nothing if none is known.
  std::optional<Duration> beside(Rank peer, Instant at) const;

 private:
  /// The least queue, and the least on the way to another peer than that one.
  struct Slot {
    std::int64_t number = -1;  ///< of slots since the beginning of time
    Rank peer = -1;
    Duration least = Duration::max();
    Duration other = Duration::max();
  };

  static constexpr Duration slot_time = std::chrono::milliseconds{4};
  static std::int64_t number_of(Instant at) { return at.time_since_epoch() / slot_time; }

  std::array<Slot, 256> slots_{};
};

}  // namespace lbsp::transport
