#pragma once

#include <cstdint>
#include <vector>

#include "transport/core/block_layout.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// The coded segments that were sent for one block of a message, and what is known of them.
struct OutgoingBlock {
  struct Sent {
    std::uint64_t packet_number;
    Instant at;
  };

  std::vector<Sent> under_way;  ///< coded segments that no report can have covered yet
  std::uint8_t next_coded = 0;  ///< the number of the next coded segment; none is sent twice
  std::uint8_t planned = 0;     ///< coded segments that are still to be sent as planned
  std::uint8_t queued = 0;      ///< coded segments that are queued as repairs
  std::uint8_t held = 0;        ///< coded segments that the receiver has

  bool exhausted() const { return next_coded + planned + queued >= most_repair_segments; }
  /// Coded segments that may still arrive.
  int expected() const { return planned + queued + static_cast<int>(under_way.size()); }
};

}  // namespace lbsp::transport
