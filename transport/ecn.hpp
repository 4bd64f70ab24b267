#pragma once

#include <cstdint>

namespace lbsp::transport {

/// What the header of a datagram's IP packet says of congestion (RFC 3168, section 5).
enum class Ecn : std::uint8_t {
  unknown,  ///< this host does not tell
  none,     ///< no router marks it. ECT(1) counts as this, which asks for another answer (RFC 9331)
  capable,  ///< ECT(0): a router whose queue becomes long may mark it instead of dropping it
  marked    ///< CE: a router has done so
};

}  // namespace lbsp::transport
