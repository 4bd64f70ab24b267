#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "transport/options.hpp"

namespace lbsp::transport {

/// UDP payloads that common paths carry without fragments.
inline constexpr std::size_t common_datagram_bytes = 1232;  ///< IPv6's minimum MTU (1280), minus headers
inline constexpr std::size_t small_datagram_bytes =
    548;  ///< 576, which every IPv4 host must accept, minus headers

inline constexpr std::size_t usual_longest_datagram_bytes = 1472;  ///< 1500, Ethernet's, minus headers

/// The longest datagrams that common MTUs leave, with the headers of IPv6 and IPv4: 576, 1280, 1420 (WireGuard),
/// 1460, 1492 (PPPoE), 1500, 8500 and 9000; and the base that a search begins with.
inline constexpr std::array<std::size_t, 15> usual_datagram_bytes = {min_datagram_bytes,
                                                                     small_datagram_bytes,
                                                                     base_datagram_bytes,
                                                                     common_datagram_bytes,
                                                                     1252,
                                                                     1372,
                                                                     1392,
                                                                     1432,
                                                                     1444,
                                                                     1452,
                                                                     1464,
                                                                     1472,
                                                                     8472,
                                                                     8952,
                                                                     8972};
/// Those that are tried first.
constexpr bool is_frequent(std::size_t bytes) {
  constexpr std::array<std::size_t, 6> frequent = {
      min_datagram_bytes, small_datagram_bytes, base_datagram_bytes, 1392, 1472, 8972};
  return std::ranges::find(frequent, bytes) != frequent.end();
}

/// The next size to try where datagrams of this size do not get through; 0: there is none.
constexpr std::size_t next_smaller_datagram(std::size_t bytes) {
  for (const std::size_t size : {common_datagram_bytes, small_datagram_bytes, min_datagram_bytes}) {
    if (size < bytes) return size;
  }
  return 0;
}

}  // namespace lbsp::transport
