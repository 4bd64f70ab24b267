#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lbsp::bsplib {

/// A size, offset, process number or count as a C program gave it; negative if it was.
using Number = std::int64_t;

/// Memory as a C program names it. `bytes` is at least 0.
inline std::span<std::byte> bytes_from(void* base, Number bytes) {
  return {static_cast<std::byte*>(base), static_cast<std::size_t>(bytes)};
}

inline std::span<const std::byte> bytes_from(const void* base, Number bytes) {
  return {static_cast<const std::byte*>(base), static_cast<std::size_t>(bytes)};
}

}  // namespace lbsp::bsplib
