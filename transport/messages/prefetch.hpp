#pragma once

#include <cstddef>
#include <span>

namespace lbsp::transport {

/// Has the processor fetch these bytes while it does something else, so that who reads or writes them soon does not
/// wait for them. A long message does not stay in the nearest caches, and its segments are too short for the processor
/// to foresee what comes next.
inline void prefetch(std::span<const std::byte> bytes) {
  constexpr std::size_t cache_line = 64;
#pragma GCC unroll 8
  for (std::size_t i = 0; i < bytes.size(); i += cache_line)
    __builtin_prefetch(bytes.data() + i);
}

}  // namespace lbsp::transport
