#include "tools/wan/packets/icmp.hpp"

#include <algorithm>
#include <cstdint>

#include "tools/wan/packets/checksum.hpp"
#include "tools/wan/packets/ip_packet.hpp"

namespace lbsp::wan::packets {
namespace {

constexpr std::size_t icmp_header = 8;
constexpr int router_host = 253;  // beyond all hosts of a bed, and not the broadcast address

void put(std::span<std::byte> packet, std::size_t offset, std::uint32_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    packet[offset + i] = static_cast<std::byte>(value >> (8 * (bytes - 1 - i)));
}

/// Where there is 0 until then.
void put_checksum(std::span<std::byte> bytes, std::size_t offset) {
  put_as_read(bytes, offset, static_cast<std::uint16_t>(~folded(internet_sum(bytes))));
}

}  // namespace

Refusal fragmentation_needed(std::span<const std::byte> packet, std::size_t mtu_bytes) {
  const std::size_t header = std::size_t{4} * (std::to_integer<std::size_t>(packet[0]) & 15);
  const auto quoted = packet.first(std::min(packet.size(), header + 8));
  Refusal refusal{{}, least_ip_header + icmp_header + quoted.size()};
  const auto all = std::span(refusal.packet).first(refusal.bytes);
  put(all, 0, 0x45c0, 2);  // without options; the precedence of network control (RFC 1812, 4.3.2.5)
  put(all, 2, static_cast<std::uint32_t>(all.size()), 2);
  put(all, 8, 0x4001, 2);  // 64 hops, ICMP
  put(all, 12, host_address(router_host), 4);
  std::ranges::copy(packet.subspan(12, 4), all.begin() + 16);
  put_checksum(all.first(least_ip_header), 10);

  const auto icmp = all.subspan(least_ip_header);
  put(icmp, 0, 0x0304, 2);  // destination unreachable: fragmentation needed
  put(icmp, 6, static_cast<std::uint32_t>(mtu_bytes), 2);
  std::ranges::copy(quoted, icmp.begin() + icmp_header);
  put_checksum(icmp, 2);
  return refusal;
}

}  // namespace lbsp::wan::packets
