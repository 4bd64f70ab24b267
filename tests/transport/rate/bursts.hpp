#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "tests/transport/start.hpp"
#include "transport/rate/spill_bound.hpp"

namespace lbsp::transport {

inline constexpr std::size_t bytes_of_datagram = 1250;

/// What goes to one peer in each round trip, and what arrives.
struct Bursts {
  SpillBound::Path path{std::chrono::milliseconds{100}, {125e6}, bytes_of_datagram, 0, true};
  SpillBound bound;
  TrainMark mark{.sent_at = start};

  Bursts() { bound.echoed(mark, path); }
  /// Whether the bound has changed.
  bool burst(std::uint64_t sent, std::uint32_t arrived,
             Duration until_next = std::chrono::milliseconds{100}) {
    mark.packets += sent;
    mark.arrived += arrived;
    mark.bytes += sent * bytes_of_datagram;
    mark.sent_at += until_next;
    return bound.echoed(mark, path);
  }
  bool bursts(int number, std::uint64_t sent, std::uint32_t arrived) {
    bool changed = false;
    for (int i = 0; i < number; ++i)
      changed = burst(sent, arrived) || changed;
    return changed;
  }
  /// Datagrams in a round trip; 0: as many as there are.
  double bounded() const {
    return bound.rate() ? bound.rate()->value * seconds(path.round_trip) / bytes_of_datagram : 0;
  }
};

}  // namespace lbsp::transport
