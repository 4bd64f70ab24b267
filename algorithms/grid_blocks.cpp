#include "algorithms/grid_blocks.hpp"

#include <algorithm>

#include "transport/error.hpp"

namespace lbsp::algorithms {

GridBlocks GridBlocks::of(std::size_t rows, std::size_t columns, Rank ranks, BlockShape shape) {
  if (shape == BlockShape::rows) return {rows, columns, ranks, 1};
  GridBlocks best{rows, columns, ranks, 1};
  const auto edges = [&](const GridBlocks& cut) {
    // What all ranks together send of their edges: the length of the cuts.
    return static_cast<double>(cut.down - 1) * static_cast<double>(columns) +
           static_cast<double>(cut.across - 1) * static_cast<double>(rows);
  };
  for (int down = 1; down <= ranks; ++down) {
    const GridBlocks cut{rows, columns, down, ranks / down};
    if (ranks % down == 0 && edges(cut) < edges(best)) best = cut;
  }
  return best;
}

Rectangle GridBlocks::interior() const {
  if (rows < 3 || columns < 3) return {};
  return {{1, rows - 2}, {1, columns - 2}};
}

std::vector<double> GridBlock::own_values() const {
  std::vector<double> points;
  points.reserve(own.elements());
  for (std::size_t i = own.rows.begin; i < own.rows.end() && !own.empty(); ++i) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(place(i, own.columns.begin));
    points.insert(points.end(), from, from + static_cast<std::ptrdiff_t>(own.columns.count));
  }
  return points;
}

void GridBlock::set_own_values(const std::vector<double>& own_points) {
  if (own_points.size() != own.elements()) {
    throw UsageError("a block of a grid was given other than its own points: give as many as it has");
  }
  auto from = own_points.begin();
  fill([&](std::size_t, std::size_t) { return *from++; });
}

}  // namespace lbsp::algorithms
