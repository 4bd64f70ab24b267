#pragma once

#include <cstddef>

#include "algorithms/square_grid.hpp"
#include "lbsp/partition.hpp"

namespace lbsp::algorithms {

using lbsp::part_of;
using lbsp::Range;

/// Which rank owns which rectangle of a matrix. Row r of the grid has the r-th part of the rows, column c the
/// c-th part of the columns. No two blocks of a matrix differ by more than one row or one column.
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
