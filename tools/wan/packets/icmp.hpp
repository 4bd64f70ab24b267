#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace lbsp::wan::packets {

/// IP's header, ICMP's, and of the packet that did not pass IP's longest header and eight bytes behind it.
inline constexpr std::size_t longest_refusal_bytes = 20 + 8 + 60 + 8;

struct Refusal {
  std::array<std::byte, longest_refusal_bytes> packet;
  std::size_t bytes = 0;
};

/// What a router tells the sender of an IPv4 packet that is longer than the link behind it carries and may not be
/// cut: ICMP "fragmentation needed and DF set", with the link's MTU (RFC 792, RFC 1191). The router's address is
/// that of host number 253. The packet must be whole.
Refusal fragmentation_needed(std::span<const std::byte> packet, std::size_t mtu_bytes);

}  // namespace lbsp::wan::packets
