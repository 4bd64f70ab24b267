#include "algorithms/matmul.hpp"

#include <cstdint>
#include <fmt/format.h>
#include <span>
#include <vector>

#include "algorithms/local_product.hpp"
#include "lbsp/queue.hpp"
#include "transport/error.hpp"

namespace lbsp::algorithms {
namespace {

enum class Factor : std::uint8_t { a, b };

template <class T>
using BlockQueue = Queue<T, Factor>;

/// The blocks of one row or column of the grid, in its order. They stay where they are: the own one in the
/// caller's matrix, the others in the messages they came in.
template <class T>
using Panel = std::vector<std::span<const T>>;

template <class T>
void check_shapes(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b) {
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

template <class T>
void send_blocks(const SquareGrid& grid, Rank self, const BlockMatrix<T>& a, const BlockMatrix<T>& b,
                 BlockQueue<T>& queue) {
  for (int i = 0; i < grid.side(); ++i) {
    const Rank along_row = grid.rank(grid.row(self), i);
    const Rank along_column = grid.rank(i, grid.column(self));
    if (along_row != self && !a.values.empty()) queue.send(along_row, Factor::a, a.values);
    if (along_column != self && !b.values.empty()) queue.send(along_column, Factor::b, b.values);
  }
}

}  // namespace

template <class T>
BlockMatrix<T> matmul(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b) {
  check_shapes(world, a, b);
  const SquareGrid& grid = a.layout.grid;
  const auto row = static_cast<std::size_t>(grid.row(world.rank()));
  const auto column = static_cast<std::size_t>(grid.column(world.rank()));

  BlockQueue<T> queue(world);
  send_blocks(grid, world.rank(), a, b, queue);
  world.sync();

  Panel<T> row_of_a(static_cast<std::size_t>(grid.side()));
  Panel<T> column_of_b(row_of_a.size());
  row_of_a[column] = a.values;
  column_of_b[row] = b.values;
  for (const auto message : queue) {
    const Rank source = message.source();
    if (message.tag() == Factor::a) {
      row_of_a[static_cast<std::size_t>(grid.column(source))] = message.values();
    } else {
      column_of_b[static_cast<std::size_t>(grid.row(source))] = message.values();
    }
  }

  BlockMatrix<T> c(world, a.layout.rows, b.layout.columns);
  for (std::size_t i = 0; i < row_of_a.size(); ++i) {
    const std::size_t inner = part_of(a.layout.columns, grid.side(), static_cast<int>(i)).count;
    add_product<T>({c.rows.count, inner, c.columns.count}, row_of_a[i], column_of_b[i], c.values);
  }
  return c;
}

template BlockMatrix<float> matmul(World&, const BlockMatrix<float>&, const BlockMatrix<float>&);
template BlockMatrix<double> matmul(World&, const BlockMatrix<double>&, const BlockMatrix<double>&);

}  // namespace lbsp::algorithms
