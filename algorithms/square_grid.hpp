#pragma once

#include "transport/units.hpp"

namespace lbsp::algorithms {

/// The P ranks of a job as a √P × √P grid, counted row by row.
class SquareGrid {
 public:
  /// Throws UsageError if `ranks` is not a square; it names the squares next to it.
  explicit SquareGrid(Rank ranks);

  int side() const noexcept { return side_; }
  int row(Rank rank) const noexcept { return rank / side_; }
  int column(Rank rank) const noexcept { return rank % side_; }
  Rank rank(int row, int column) const noexcept { return row * side_ + column; }

  friend bool operator==(SquareGrid, SquareGrid) = default;

 private:
  int side_;
};

}  // namespace lbsp::algorithms
