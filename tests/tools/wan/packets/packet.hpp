#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/wan/packets/ip_packet.hpp"

namespace lbsp::wan::packets {

using Packet = std::vector<std::byte>;

inline constexpr std::size_t headers = 28;

inline void put(Packet& packet, std::size_t offset, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    packet[offset + static_cast<std::size_t>(i)] =
        static_cast<std::byte>(value >> (8 * (bytes - 1 - i)) & 0xff);
}

/// A UDP datagram (protocol 17) or whatever else, whose payload begins with its number.
inline Packet packet_to(std::uint32_t address, std::size_t payload = 1000, std::uint32_t number = 0,
                        int protocol = 17) {
  Packet packet(headers + payload);
  packet[0] = std::byte{0x45};
  put(packet, 2, static_cast<std::uint32_t>(packet.size()), 2);
  packet[9] = static_cast<std::byte>(protocol);
  put(packet, 16, address, 4);
  put(packet, 26, 0xbeef, 2);
  if (payload >= 4) put(packet, headers, number, 4);
  return packet;
}

}  // namespace lbsp::wan::packets
