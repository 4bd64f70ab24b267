#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "transport/ecn.hpp"
#include "transport/impairment/wan_spec.hpp"

namespace lbsp::wan::packets {

inline constexpr std::size_t least_ip_header = 20;  // without options
inline constexpr std::size_t udp_header = 8;
inline constexpr std::uint8_t udp_protocol = 17;

/// What a router reads of an IPv4 packet (RFC 791).
struct PacketFacts {
  std::uint32_t destination = 0;    ///< in host byte order
  std::size_t header_bytes = 0;     ///< IP's header, and UDP's if it has one
  std::size_t checksum_offset = 0;  ///< of a whole UDP datagram's checksum; 0: none
  transport::Ecn ecn = transport::Ecn::none;
  bool error_message = false;  ///< of ICMP; no error message is sent about it (RFC 1122, 3.2.2)
};

/// What rates count of a packet: all but the headers of IP and UDP.
constexpr std::size_t payload_bytes(std::size_t packet_bytes) {
  return packet_bytes < transport::packet_header_bytes ? 0 : packet_bytes - transport::packet_header_bytes;
}

/// Nothing if it is not a complete IPv4 packet.
std::optional<PacketFacts> read_packet(std::span<const std::byte> packet);

/// Declares a UDP datagram not checksummed (RFC 768: zero), so that changed bits reach the program instead of
/// being dropped by its kernel. Leaves all other packets alone.
void waive_checksum(std::span<std::byte> packet, const PacketFacts& facts);

/// Marks the packet as one that met a queue (RFC 3168), and mends its header's checksum.
void mark_congestion(std::span<std::byte> packet);

/// Host number `index` of a bed has this address: 198.18.0.(1 + index). 198.18.0.0/15 is set aside for
/// measuring network equipment (RFC 2544, RFC 6890) and not routed in the Internet.
constexpr std::uint32_t host_address(int index) {
  return (std::uint32_t{198} << 24) | (std::uint32_t{18} << 16) | static_cast<std::uint32_t>(1 + index);
}

}  // namespace lbsp::wan::packets
