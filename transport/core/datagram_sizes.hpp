#pragma once

#include <cstddef>

#include "transport/options.hpp"

namespace lbsp::transport {

/// UDP payloads that paths of known kinds carry whole.
inline constexpr std::size_t common_datagram_bytes = 1232;  ///< IPv6's least MTU (1280), less its headers
inline constexpr std::size_t small_datagram_bytes = 548;    ///< what every IPv4 host must take (576)

/// What to try where datagrams of this size do not get through; 0: nothing smaller is left.
constexpr std::size_t next_smaller_datagram(std::size_t bytes) {
  for (const std::size_t size : {common_datagram_bytes, small_datagram_bytes, min_datagram_bytes}) {
    if (size < bytes) return size;
  }
  return 0;
}

}  // namespace lbsp::transport
