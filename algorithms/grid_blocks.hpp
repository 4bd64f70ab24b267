#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/rectangle.hpp"
#include "lbsp/world.hpp"

namespace lbsp::algorithms {

/// How the points of a grid are shared out among ranks.
enum class BlockShape {
  rows,       ///< blocks of whole rows: at most two neighbours, the longest edges
  rectangles  ///< the P = p · q blocks of the shortest edges: up to eight neighbours
};

/// Which rank has which points of a rows × columns grid, including the outermost ones. The ranks form a mesh
/// of `down` × `across` blocks, counted row by row. Blocks differ by at most one row or one column. Some are
/// empty if there are more of them than rows or columns.
struct GridBlocks {
  std::size_t rows = 0;
  std::size_t columns = 0;
  int down = 1;
  int across = 1;

  static GridBlocks of(std::size_t rows, std::size_t columns, Rank ranks, BlockShape shape);

  Rectangle whole() const { return {{0, rows}, {0, columns}}; }
  /// All points except the outermost ones; empty if there are no others.
  Rectangle interior() const;
  Rectangle of_rank(Rank rank) const {
    return {part_of(rows, down, rank / across), part_of(columns, across, rank % across)};
  }
  /// A block and the points around it, up to `by` points away.
  Rectangle around(const Rectangle& block, std::size_t by) const {
    if (block.empty()) return block;
    return {grown(block.rows, by, rows), grown(block.columns, by, columns)};
  }

  friend bool operator==(const GridBlocks&, const GridBlocks&) = default;
};

/// A rank's block of a grid, with room for a halo: copies of other ranks' points up to `halo` points away.
struct GridBlock {
  GridBlocks blocks;
  std::size_t halo;
  Rectangle own;
  Rectangle stored;            ///< the block with its halo, inside the grid
  std::vector<double> values;  ///< the stored points row by row, 0 at first

  /// All ranks make it with the same arguments. It sends nothing.
  GridBlock(const World& world, const GridBlocks& cut, std::size_t halo_points)
      : blocks(cut),
        halo(halo_points),
        own(cut.of_rank(world.rank())),
        stored(cut.around(own, halo_points)),
        values(stored.elements()) {}

  /// Where point (i, j) of the grid stands in `values`. It must be a stored point.
  std::size_t place(std::size_t i, std::size_t j) const {
    return (i - stored.rows.begin) * stored.columns.count + (j - stored.columns.begin);
  }

  /// Sets this rank's points to element(i, j), where i and j count in the whole grid.
  template <class Element>
  void fill(Element element) {
    for (std::size_t i = own.rows.begin; i < own.rows.end(); ++i) {
      for (std::size_t j = own.columns.begin; j < own.columns.end(); ++j)
        values[place(i, j)] = element(i, j);
    }
  }

  /// This rank's points, row by row without gaps.
  std::vector<double> own_values() const;
  void set_own_values(const std::vector<double>& own_points);
};

}  // namespace lbsp::algorithms
