#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace lbsp::transport {

static_assert(sizeof(std::uint64_t) == sizeof(const std::byte*));

/// Where memory is, as a message tells it. It means something only to the process that has the memory, and to those
/// that can read it there.
inline std::uint64_t address_of(const std::byte* memory) {
  return std::bit_cast<std::uint64_t>(memory);
}
inline const std::byte* memory_at(std::uint64_t address) {
  return std::bit_cast<const std::byte*>(address);
}

}  // namespace lbsp::transport
