#pragma once

#include <cstdint>

namespace lbsp::transport {

/// The leg of a superstep that a message belongs to: messages that were begun supersteps before and are awaited now,
/// then messages between all ranks, then replies to the ranks that asked. The numbers are those of the wire.
enum class Leg : std::uint8_t { early = 0, messages = 1, replies = 2 };
inline constexpr unsigned legs_of_superstep = 3;
/// Of a number that came from elsewhere.
constexpr bool is_leg(Leg leg) {
  return static_cast<unsigned>(leg) < legs_of_superstep;
}

}  // namespace lbsp::transport
