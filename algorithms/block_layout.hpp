#pragma once

#include <algorithm>
#include <cstddef>

#include "algorithms/square_grid.hpp"

namespace lbsp::algorithms {

/// Consecutive indices begin … begin+count-1.
struct Range {
  std::size_t begin = 0;
  std::size_t count = 0;

  constexpr std::size_t end() const noexcept { return begin + count; }
  friend bool operator==(Range, Range) = default;
};

/// Part `index` of 0 … total-1 cut into `parts` consecutive parts: the first total mod parts of them have one
/// index more than the others. Parts are empty where there are more of them than indices.
constexpr Range part_of(std::size_t total, int parts, int index) {
  const auto count = static_cast<std::size_t>(parts);
  const auto i = static_cast<std::size_t>(index);
  const std::size_t larger = total % count;
  return {i * (total / count) + std::min(i, larger), total / count + (i < larger ? 1 : 0)};
}

/// Which rank owns which rectangle of a matrix: the grid's row r has the r-th part of the rows, its column c
/// the c-th part of the columns. No two blocks of a matrix differ by more than one row or one column.
struct BlockLayout {
  std::size_t rows = 0;
  std::size_t columns = 0;
  SquareGrid grid;

  Range rows_of(Rank rank) const { return part_of(rows, grid.side(), grid.row(rank)); }
  Range columns_of(Rank rank) const { return part_of(columns, grid.side(), grid.column(rank)); }
  std::size_t elements_of(Rank rank) const { return rows_of(rank).count * columns_of(rank).count; }

  friend bool operator==(const BlockLayout&, const BlockLayout&) = default;
};

}  // namespace lbsp::algorithms
