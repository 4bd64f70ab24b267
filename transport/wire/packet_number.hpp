#pragma once

#include <cstdint>

namespace lbsp::transport {

/// So many packet numbers can be told apart by their lower part, which is what a datagram carries.
inline constexpr std::uint64_t packet_number_window = std::uint64_t{1} << 24;

/// The number with this lower part that is nearest to `next`, 1 + the largest number that has arrived and was
/// authentic (RFC 9000, appendix A.3): more than half a window before it never, half a window behind it at most.
/// A datagram whose number is another one does not open.
constexpr std::uint64_t whole_packet_number(std::uint64_t lower, std::uint64_t next) {
  constexpr std::uint64_t half = packet_number_window / 2;
  const std::uint64_t candidate = (next & ~(packet_number_window - 1)) | lower;
  if (candidate + half <= next) return candidate + packet_number_window;
  if (candidate > next + half && candidate >= packet_number_window) return candidate - packet_number_window;
  return candidate;
}

}  // namespace lbsp::transport
