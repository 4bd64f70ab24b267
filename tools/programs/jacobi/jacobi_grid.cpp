#include "tools/programs/jacobi/jacobi_grid.hpp"

#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "algorithms/rectangle_transfer.hpp"
#include "tools/programs/npy.hpp"
#include "transport/error.hpp"

namespace lbsp::programs::jacobi {
namespace {

using algorithms::GridBlock;
using algorithms::GridBlocks;

/// Jacobi cannot end well where a value is not finite: it is found before the work.
void check_finite(const std::string& path, const std::vector<double>& values, std::size_t columns) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    throw UsageError(fmt::format("{} holds {} at row {}, column {}: give finite numbers", path, values[i],
                                 i / columns, i % columns));
  }
}

NpyArray<double> read_grid(const std::string& path) {
  NpyArray<double> array = read_npy<double>(path, 2);
  if (array.values.empty()) {
    throw UsageError(fmt::format("{} holds a grid of {} x {}: give one with at least one row and column",
                                 path, array.shape[0], array.shape[1]));
  }
  check_finite(path, array.values, array.shape[1]);
  return array;
}

std::vector<double> edge_values(const Edge& edge, std::size_t count) {
  if (edge.kind != Edge::Kind::file) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i)
      values[i] = edge.at(i, count);
    return values;
  }
  NpyArray<double> array = read_npy<double>(edge.path, 1);
  if (array.values.size() != count) {
    throw UsageError(fmt::format("{} holds {} points where the edge has {}, its ends included: give as many",
                                 edge.path, array.values.size(), count));
  }
  check_finite(edge.path, array.values, count);
  return std::move(array.values);
}

/// The four edges around zeros. The corners belong to the top and the bottom, and count for nothing.
class EdgedGrid {
 public:
  EdgedGrid(const Boundary& boundary, std::size_t rows, std::size_t columns)
      : rows_(rows),
        columns_(columns),
        top_(edge_values(boundary.top, columns)),
        bottom_(edge_values(boundary.bottom, columns)),
        left_(edge_values(boundary.left, rows)),
        right_(edge_values(boundary.right, rows)) {}

  double at(std::size_t i, std::size_t j) const {
    if (i == 0) return top_[j];
    if (i + 1 == rows_) return bottom_[j];
    if (j == 0) return left_[i];
    if (j + 1 == columns_) return right_[i];
    return 0;
  }

 private:
  std::size_t rows_;
  std::size_t columns_;
  std::vector<double> top_;
  std::vector<double> bottom_;
  std::vector<double> left_;
  std::vector<double> right_;
};

NpyArray<double> whole_grid(const JacobiArguments& arguments) {
  if (!arguments.initial.empty()) return read_grid(arguments.initial);
  const EdgedGrid edged(arguments.boundary, arguments.rows, arguments.columns);
  NpyArray<double> array{{arguments.rows, arguments.columns},
                         std::vector<double>(arguments.rows * arguments.columns)};
  for (std::size_t i = 0; i < array.values.size(); ++i)
    array.values[i] = edged.at(i / arguments.columns, i % arguments.columns);
  return array;
}

/// Rank 0 has the files, and deals out what they give.
GridBlock deal_grid(World& world, const JacobiArguments& arguments) {
  NpyArray<double> whole{{0, 0}, {}};
  if (world.rank() == 0) whole = whole_grid(arguments);
  const auto dealt = algorithms::deal<double>(
      world, {whole.shape[0], whole.shape[1], whole.values},
      [&](std::size_t rows, std::size_t columns, Rank rank) {
        return GridBlocks::of(rows, columns, world.size(), arguments.shape).of_rank(rank);
      });
  GridBlock grid(world, GridBlocks::of(dealt.rows, dealt.columns, world.size(), arguments.shape),
                 arguments.halo);
  grid.set_own_values(dealt.values);
  return grid;
}

}  // namespace

GridBlock make_jacobi_grid(World& world, const JacobiArguments& arguments) {
  if (!arguments.initial.empty() || arguments.boundary.has_files()) return deal_grid(world, arguments);
  GridBlock grid(world, GridBlocks::of(arguments.rows, arguments.columns, world.size(), arguments.shape),
                 arguments.halo);
  const EdgedGrid edged(arguments.boundary, arguments.rows, arguments.columns);
  grid.fill([&](std::size_t i, std::size_t j) { return edged.at(i, j); });
  return grid;
}

std::vector<double> collect_grid(World& world, const GridBlock& grid) {
  return algorithms::collect<double>(
      world, {grid.blocks.rows, grid.blocks.columns, grid.own_values()},
      [&](std::size_t, std::size_t, Rank rank) { return grid.blocks.of_rank(rank); });
}

}  // namespace lbsp::programs::jacobi
