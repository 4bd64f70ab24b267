#pragma once

#include <cstddef>

#include "transport/options.hpp"

namespace lbsp::transport {

/// UDP payloads that common paths carry without fragments.
inline constexpr std::size_t common_datagram_bytes = 1232;  ///< IPv6's minimum MTU (1280), minus headers
inline constexpr std::size_t small_datagram_bytes =
    548;  ///< 576, which every IPv4 host must accept, minus headers

/// The next size to try where datagrams of this size do not get through; 0: there is none.
constexpr std::size_t next_smaller_datagram(std::size_t bytes) {
  for (const std::size_t size : {common_datagram_bytes, small_datagram_bytes, min_datagram_bytes}) {
    if (size < bytes) return size;
  }
  return 0;
}

}  // namespace lbsp::transport
