#pragma once

#include <algorithm>
#include <cstddef>

namespace lbsp {

/// The consecutive indices begin … begin+count-1.
struct Range {
  std::size_t begin = 0;
  std::size_t count = 0;

  constexpr std::size_t end() const noexcept { return begin + count; }
  friend bool operator==(Range, Range) = default;
};

/// Part `index` of 0 … total-1, cut into `parts` consecutive parts. The first total mod parts of them have
/// one index more than the others. If there are more parts than indices, the last ones are empty.
constexpr Range part_of(std::size_t total, int parts, int index) {
  const auto count = static_cast<std::size_t>(parts);
  const auto i = static_cast<std::size_t>(index);
  const std::size_t larger = total % count;
  return {i * (total / count) + std::min(i, larger), total / count + (i < larger ? 1 : 0)};
}

}  // namespace lbsp
