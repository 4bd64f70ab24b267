#pragma once

#include <algorithm>
#include <cstddef>

#include "algorithms/block_layout.hpp"

namespace lbsp::algorithms {

/// The indices that two ranges have in common; may be empty.
constexpr Range common(Range a, Range b) {
  const std::size_t begin = std::max(a.begin, b.begin);
  const std::size_t end = std::min(a.end(), b.end());
  return {begin, end > begin ? end - begin : 0};
}

/// `range` and up to `by` indices on either side of it, within 0 … total-1. An empty range stays empty.
constexpr Range grown(Range range, std::size_t by, std::size_t total) {
  if (range.count == 0) return range;
  const std::size_t begin = range.begin - std::min(range.begin, by);
  const std::size_t end = range.end() + std::min(total - range.end(), by);
  return {begin, end - begin};
}

/// Some consecutive rows and columns of a matrix.
struct Rectangle {
  Range rows;
  Range columns;

  constexpr std::size_t elements() const noexcept { return rows.count * columns.count; }
  constexpr bool empty() const noexcept { return elements() == 0; }
  friend bool operator==(const Rectangle&, const Rectangle&) = default;
};

constexpr Rectangle common(const Rectangle& a, const Rectangle& b) {
  return {common(a.rows, b.rows), common(a.columns, b.columns)};
}

}  // namespace lbsp::algorithms
