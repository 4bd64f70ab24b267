#include "tools/wan/ip_packet.hpp"

namespace lbsp::wan {
namespace {

constexpr std::size_t least_ip_header = 20;
constexpr std::size_t udp_header = 8;
constexpr unsigned udp_protocol = 17;
constexpr unsigned icmp_protocol = 1;

unsigned octet(std::span<const std::byte> packet, std::size_t offset) {
  return std::to_integer<unsigned>(packet[offset]);
}

unsigned two_octets(std::span<const std::byte> packet, std::size_t offset) {
  return (octet(packet, offset) << 8) | octet(packet, offset + 1);
}

/// Of ICMP's types: those that tell of another packet.
bool is_error(unsigned type) {
  return type == 3 || type == 4 || type == 5 || type == 11 || type == 12;
}

}  // namespace

std::optional<PacketFacts> read_packet(std::span<const std::byte> packet) {
  if (packet.size() < least_ip_header || octet(packet, 0) >> 4 != 4) return std::nullopt;
  PacketFacts facts;
  facts.header_bytes = std::size_t{4} * (octet(packet, 0) & 15U);
  if (facts.header_bytes < least_ip_header || facts.header_bytes > packet.size()) return std::nullopt;
  if (two_octets(packet, 2) != packet.size()) return std::nullopt;
  facts.destination = (two_octets(packet, 16) << 16) | two_octets(packet, 18);

  const unsigned fragment = two_octets(packet, 6);
  const bool first = (fragment & 0x1fffU) == 0;
  const bool whole = first && (fragment & 0x2000U) == 0;
  const bool icmp = octet(packet, 9) == icmp_protocol && packet.size() > facts.header_bytes;
  facts.error_message = icmp && (!first || is_error(octet(packet, facts.header_bytes)));
  const bool udp = octet(packet, 9) == udp_protocol && packet.size() >= facts.header_bytes + udp_header;
  if (udp && whole) facts.checksum_offset = facts.header_bytes + 6;
  if (udp && first) facts.header_bytes += udp_header;
  return facts;
}

void waive_checksum(std::span<std::byte> packet, const PacketFacts& facts) {
  if (facts.checksum_offset == 0) return;
  packet[facts.checksum_offset] = std::byte{0};
  packet[facts.checksum_offset + 1] = std::byte{0};
}

}  // namespace lbsp::wan
