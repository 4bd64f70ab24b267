#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/block_layout.hpp"
#include "lbsp/world.hpp"
#include "transport/error.hpp"

namespace lbsp::algorithms {

/// This rank's block of a matrix that is shared out over all ranks of a world; zero at first. Its elements
/// stand row by row without gaps.
template <class T>
struct BlockMatrix {
  BlockLayout layout;
  Range rows;     ///< which of the matrix's rows …
  Range columns;  ///< … and columns this block holds
  std::vector<T> values;

  /// Throws UsageError if the number of ranks is not a square.
  BlockMatrix(const World& world, std::size_t matrix_rows, std::size_t matrix_columns)
      : layout{matrix_rows, matrix_columns, SquareGrid(world.size())},
        rows(layout.rows_of(world.rank())),
        columns(layout.columns_of(world.rank())),
        values(rows.count * columns.count) {}

  /// Sets every element to element(i, j), where i and j count in the whole matrix.
  template <class Element>
  void fill(Element element) {
    auto value = values.begin();
    for (std::size_t i = rows.begin; i < rows.end(); ++i) {
      for (std::size_t j = columns.begin; j < columns.end(); ++j)
        *value++ = element(i, j);
    }
  }
};

/// Throws UsageError if `values` does not have as many elements as the block.
template <class T>
void check_block(const BlockMatrix<T>& block) {
  if (block.values.size() == block.rows.count * block.columns.count) return;
  throw UsageError("the values of a block of a matrix were resized: leave their number as it was");
}

}  // namespace lbsp::algorithms
