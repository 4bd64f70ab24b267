#include <algorithm>
#include <span>
#include <vector>

#include "algorithms/local_product.hpp"
#include "algorithms/matmul.hpp"
#include "algorithms/product_factors.hpp"

namespace lbsp::algorithms {
namespace {

/// Columns `panel` of a block, row by row without gaps.
template <class T>
void pack_columns(const BlockMatrix<T>& a, Range panel, std::vector<T>& packed) {
  packed.clear();
  for (std::size_t row = 0; row < a.rows.count; ++row) {
    const auto from = a.values.begin() + static_cast<std::ptrdiff_t>(row * a.columns.count + panel.begin);
    packed.insert(packed.end(), from, from + static_cast<std::ptrdiff_t>(panel.count));
  }
}

template <class T>
class Summa {
 public:
  Summa(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b)
      : world_(world), a_(a), b_(b), c_(world, a.layout.rows, b.layout.columns), queue_(world) {}

  /// One superstep: the panel of the inner index that stands at `panel` in the blocks of the grid's column
  /// `owner` of A and row `owner` of B.
  void multiply(int owner, Range panel) {
    const SquareGrid& grid = a_.layout.grid;
    std::span<const T> left;
    std::span<const T> right;
    if (grid.column(world_.rank()) == owner) {
      pack_columns(a_, panel, packed_);
      left = packed_;
      send_along_row<T>(grid, world_.rank(), left, queue_);
    }
    if (grid.row(world_.rank()) == owner) {
      right = std::span(b_.values).subspan(panel.begin * b_.columns.count, panel.count * b_.columns.count);
      send_along_column<T>(grid, world_.rank(), right, queue_);
    }
    world_.sync();
    for (const auto message : queue_)
      (message.tag() == Factor::a ? left : right) = message.values();
    add_product<T>({c_.rows.count, panel.count, c_.columns.count}, left, right, c_.values);
  }

  BlockMatrix<T> take() { return std::move(c_); }

 private:
  World& world_;
  const BlockMatrix<T>& a_;
  const BlockMatrix<T>& b_;
  BlockMatrix<T> c_;
  BlockQueue<T> queue_;
  std::vector<T> packed_;
};

}  // namespace

template <class T>
BlockMatrix<T> matmul_summa(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b,
                            std::size_t width) {
  if (width == 0) throw UsageError("a product by panels was asked for panels of width 0: choose 1 or more");
  check_factors(world, a, b);
  world.agree(width);
  Summa<T> summa(world, a, b);
  const int side = a.layout.grid.side();
  for (int owner = 0; owner < side; ++owner) {
    const std::size_t inner = part_of(a.layout.columns, side, owner).count;
    for (std::size_t begin = 0; begin < inner; begin += width)
      summa.multiply(owner, {begin, std::min(width, inner - begin)});
  }
  return summa.take();
}

template BlockMatrix<float> matmul_summa(World&, const BlockMatrix<float>&, const BlockMatrix<float>&,
                                         std::size_t);
template BlockMatrix<double> matmul_summa(World&, const BlockMatrix<double>&, const BlockMatrix<double>&,
                                          std::size_t);

}  // namespace lbsp::algorithms
