#pragma once

#include <cstdint>
#include <fmt/format.h>

#include "algorithms/block_matrix.hpp"
#include "lbsp/queue.hpp"
#include "lbsp/world.hpp"
#include "transport/error.hpp"

namespace lbsp::algorithms {

/// The factor of a product that a message's block belongs to.
enum class Factor : std::uint8_t { a, b };

template <class T>
using BlockQueue = Queue<T, Factor>;

/// Throws UsageError if A and B cannot be multiplied. If the ranks disagree, the next sync() throws it.
template <class T>
void check_factors(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b) {
  if (a.layout.columns != b.layout.rows) {
    throw UsageError(
        fmt::format("A is {} x {} and B {} x {}: their product needs as many columns of A as B has rows",
                    a.layout.rows, a.layout.columns, b.layout.rows, b.layout.columns));
  }
  check_block(a);
  check_block(b);
  for (const std::size_t extent : {a.layout.rows, a.layout.columns, b.layout.columns})
    world.agree(extent);
}

/// Sends a block to all other ranks of this rank's row of the grid; nothing if the block is empty.
template <class T>
void send_along_row(const SquareGrid& grid, Rank self, std::span<const T> block, BlockQueue<T>& queue) {
  for (int i = 1; i < grid.side() && !block.empty(); ++i)
    queue.send(grid.rank(grid.row(self), (grid.column(self) + i) % grid.side()), Factor::a, block);
}

/// The same along the column.
template <class T>
void send_along_column(const SquareGrid& grid, Rank self, std::span<const T> block, BlockQueue<T>& queue) {
  for (int i = 1; i < grid.side() && !block.empty(); ++i)
    queue.send(grid.rank((grid.row(self) + i) % grid.side(), grid.column(self)), Factor::b, block);
}

}  // namespace lbsp::algorithms
