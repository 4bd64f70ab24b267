#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "transport/units.hpp"

namespace lbsp::trace_file {

/// What a trace has of single datagrams, if lbsp run --trace-packets was given (docs/trace.md).

enum class PacketWhat : std::uint8_t { sent, received, lost, measured };

/// As the trace has them, by PacketWhat.
inline constexpr std::array<const char*, 4> packet_whats{"sent", "received", "lost", "measured"};
/// Kinds of datagrams, by their number on the wire; the last is for all others.
inline constexpr std::array<const char*, 9> packet_kinds{"echo",  "data",  "status", "ack",    "fin",
                                                         "abort", "coded", "size",   "unknown"};

/// Seconds, bytes, bytes per second and fractions.
struct PacketEvent {
  PacketWhat what = PacketWhat::sent;
  std::uint8_t kind = 0;  ///< an index of packet_kinds
  Rank peer = 0;
  double at = 0;             ///< by the clock of the rank that tells it
  std::uint64_t number = 0;  ///< of the datagram, in its direction
  std::uint32_t bytes = 0;   ///< of one that was sent or received
  /// Of one that was received: which of this rank's datagrams it was the first to acknowledge.
  std::optional<std::uint64_t> acknowledges;
  // Of what was measured:
  double round_trip = 0;  ///< smoothed
  double least = 0;       ///< round trip
  double rate = 0;        ///< at which the rank sends
  double loss = 0;        ///< on the way to the peer
};

struct Packets {
  std::uint64_t dropped = 0;  ///< older events that were not kept
  std::vector<PacketEvent> events;
};

/// One event of a list of "events"; none if it is not one that can be.
std::optional<PacketEvent> packet_event_in(const nlohmann::json& event);

}  // namespace lbsp::trace_file
