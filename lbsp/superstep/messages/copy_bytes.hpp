#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lbsp::superstep {

/// memcpy, but without a call for one word, since most small transfers are one word.
inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes == sizeof(std::uint64_t)) {
    std::memcpy(to, from, sizeof(std::uint64_t));
  } else if (bytes != 0) {
    std::memcpy(to, from, bytes);
  }
}

}  // namespace lbsp::superstep
