#pragma once

#include <cstdint>

namespace lbsp::transport {

/// The leg of a superstep that a message belongs to: first messages between all ranks, then replies to the
/// ranks that asked. The numbers are those of the wire.
enum class Leg : std::uint8_t { messages = 0, replies = 1 };

}  // namespace lbsp::transport
