#pragma once

#include <cstddef>

namespace lbsp::transport {

/// UDP payloads that paths of known kinds carry whole.
inline constexpr std::size_t common_datagram_bytes = 1232;  ///< IPv6's least MTU (1280), less its headers
inline constexpr std::size_t small_datagram_bytes = 548;    ///< what every IPv4 host must take (576)

}  // namespace lbsp::transport
