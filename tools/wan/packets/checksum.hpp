#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace lbsp::wan::packets {

/// The Internet checksum (RFC 1071) as a sum that is not folded yet, of words as this machine reads them: all that is
/// added to it must be, too. An odd number of bytes is filled up with zero.
inline std::uint64_t internet_sum(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0;
  const std::size_t whole = bytes.size() / sizeof(std::uint32_t);
  for (std::size_t i = 0; i < whole; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + i * sizeof word, sizeof word);
    sum += word;
  }
  const auto rest = bytes.subspan(whole * sizeof(std::uint32_t));
  std::uint32_t word = 0;
  if (!rest.empty()) std::memcpy(&word, rest.data(), rest.size());
  return sum + word;
}

inline std::uint16_t folded(std::uint64_t sum) {
  while (sum >> 16 != 0)
    sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

/// Writes a field of 16 bits as it is in a sum.
inline void put_as_read(std::span<std::byte> packet, std::size_t offset, std::uint16_t value) {
  std::memcpy(packet.subspan(offset, sizeof value).data(), &value, sizeof value);
}

}  // namespace lbsp::wan::packets
