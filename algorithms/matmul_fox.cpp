#include <span>
#include <vector>

#include "algorithms/local_product.hpp"
#include "algorithms/matmul.hpp"
#include "algorithms/product_factors.hpp"

namespace lbsp::algorithms {

template <class T>
BlockMatrix<T> matmul_fox(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b) {
  check_factors(world, a, b);
  const SquareGrid& grid = a.layout.grid;
  const Rank self = world.rank();
  const int side = grid.side();
  const Rank above = grid.rank((grid.row(self) + side - 1) % side, grid.column(self));

  BlockMatrix<T> c(world, a.layout.rows, b.layout.columns);
  BlockQueue<T> queue(world);
  std::span<const T> rolled = b.values;  // stays where it came until the next superstep has it
  for (int step = 0; step < side; ++step) {
    const int inner = (grid.row(self) + step) % side;
    const bool mine = grid.column(self) == inner;
    if (mine) send_along_row<T>(grid, self, a.values, queue);
    if (step > 0 && !rolled.empty()) queue.send(above, Factor::b, rolled);
    world.sync();

    std::span<const T> from_row = mine ? std::span<const T>(a.values) : std::span<const T>();
    if (step > 0) rolled = {};
    for (const auto message : queue)
      (message.tag() == Factor::a ? from_row : rolled) = message.values();
    add_product<T>({c.rows.count, part_of(a.layout.columns, side, inner).count, c.columns.count}, from_row,
                   rolled, c.values);
  }
  return c;
}

template BlockMatrix<float> matmul_fox(World&, const BlockMatrix<float>&, const BlockMatrix<float>&);
template BlockMatrix<double> matmul_fox(World&, const BlockMatrix<double>&, const BlockMatrix<double>&);

}  // namespace lbsp::algorithms
