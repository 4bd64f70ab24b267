#include "tools/wan/packets/ip_packet.hpp"

namespace lbsp::wan::packets {
namespace {

constexpr unsigned icmp_protocol = 1;

unsigned octet(std::span<const std::byte> packet, std::size_t offset) {
  return std::to_integer<unsigned>(packet[offset]);
}

unsigned two_octets(std::span<const std::byte> packet, std::size_t offset) {
  return (octet(packet, offset) << 8) | octet(packet, offset + 1);
}

constexpr unsigned congestion_experienced = 3;

/// Routers mark ECT(1), too.
transport::Ecn ecn_of(unsigned type_of_service) {
  const unsigned bits = type_of_service & 3U;
  if (bits == 0) return transport::Ecn::none;
  return bits == congestion_experienced ? transport::Ecn::marked : transport::Ecn::capable;
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
  facts.ecn = ecn_of(octet(packet, 1));
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

/// RFC 1624: ~(~sum + ~before + after), in ones' complement.
void mark_congestion(std::span<std::byte> packet) {
  constexpr std::size_t checksum_offset = 10;
  const unsigned before = two_octets(packet, 0);
  const unsigned after = before | congestion_experienced;
  unsigned sum = (~two_octets(packet, checksum_offset) & 0xffffU) + (~before & 0xffffU) + after;
  sum = (sum & 0xffffU) + (sum >> 16);
  sum = ~((sum & 0xffffU) + (sum >> 16)) & 0xffffU;
  packet[1] = static_cast<std::byte>(after & 0xffU);
  packet[checksum_offset] = static_cast<std::byte>(sum >> 8);
  packet[checksum_offset + 1] = static_cast<std::byte>(sum & 0xffU);
}

void waive_checksum(std::span<std::byte> packet, const PacketFacts& facts) {
  if (facts.checksum_offset == 0) return;
  packet[facts.checksum_offset] = std::byte{0};
  packet[facts.checksum_offset + 1] = std::byte{0};
}

}  // namespace lbsp::wan::packets
