#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lbsp::transport::testing {

/// As numbers, which a failed comparison prints.
inline std::vector<int> values(std::span<const std::byte> bytes) {
  std::vector<int> result;
  for (const std::byte byte : bytes)
    result.push_back(static_cast<int>(byte));
  return result;
}

}  // namespace lbsp::transport::testing
