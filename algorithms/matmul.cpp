#include "algorithms/matmul.hpp"

#include <span>
#include <vector>

#include "algorithms/local_product.hpp"
#include "algorithms/product_factors.hpp"

namespace lbsp::algorithms {
namespace {

/// The blocks of one row or column of the grid, in its order. They stay where they are: the own one in the
/// caller's matrix, the others in the messages they came in.
template <class T>
using Panel = std::vector<std::span<const T>>;

}  // namespace

template <class T>
BlockMatrix<T> matmul(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b) {
  check_factors(world, a, b);
  const SquareGrid& grid = a.layout.grid;
  const auto row = static_cast<std::size_t>(grid.row(world.rank()));
  const auto column = static_cast<std::size_t>(grid.column(world.rank()));

  BlockQueue<T> queue(world);
  send_along_row<T>(grid, world.rank(), a.values, queue);
  send_along_column<T>(grid, world.rank(), b.values, queue);
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

template <class T>
BlockMatrix<T> matmul(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b,
                      const ProductPlan& plan) {
  switch (plan.algorithm) {
    case ProductAlgorithm::fox:
      return matmul_fox(world, a, b);
    case ProductAlgorithm::summa:
      return matmul_summa(world, a, b, plan.panel);
    default:
      return matmul(world, a, b);
  }
}

template BlockMatrix<float> matmul(World&, const BlockMatrix<float>&, const BlockMatrix<float>&);
template BlockMatrix<double> matmul(World&, const BlockMatrix<double>&, const BlockMatrix<double>&);
template BlockMatrix<float> matmul(World&, const BlockMatrix<float>&, const BlockMatrix<float>&,
                                   const ProductPlan&);
template BlockMatrix<double> matmul(World&, const BlockMatrix<double>&, const BlockMatrix<double>&,
                                    const ProductPlan&);

}  // namespace lbsp::algorithms
