#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/local_product.hpp"
#include "algorithms/matmul.hpp"
#include "algorithms/product_factors.hpp"
#include "algorithms/product_steps.hpp"

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
  Summa(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b, std::size_t width)
      : world_(world), a_(a), b_(b), width_(width), queue_(world) {
    const int side = a.layout.grid.side();
    for (int owner = 0; owner < side; ++owner) {
      const std::size_t inner = part_of(a.layout.columns, side, owner).count;
      for (std::size_t begin = 0; begin < inner; begin += width)
        panels_.push_back({owner, {begin, std::min(width, inner - begin)}});
    }
  }

  std::uint64_t count() const { return panels_.size(); }
  ProductName name() const {
    return {a_.layout.rows, a_.layout.columns, b_.layout.columns,
            static_cast<std::uint64_t>(ProductAlgorithm::summa), width_};
  }

  StepFactors factors(std::uint64_t number, Rank of) const {
    const auto& [owner, panel] = panels_[number];
    const SquareGrid& grid = a_.layout.grid;
    return {grid.rank(grid.row(of), owner), grid.rank(owner, grid.column(of)), panel.count};
  }
  /// Valid until the next call.
  std::span<const T> left(std::uint64_t number) {
    pack_columns(a_, panels_[number].range, packed_);
    return packed_;
  }
  std::span<const T> right(std::uint64_t number) const {
    const Range& panel = panels_[number].range;
    return std::span(b_.values).subspan(panel.begin * b_.columns.count, panel.count * b_.columns.count);
  }
  ProductShape shape(std::size_t inner) const { return {a_.rows.count, inner, b_.columns.count}; }
  /// The same on all ranks: of the largest block.
  std::uint64_t steps_at_once() const {
    const int side = a_.layout.grid.side();
    const std::size_t rows = part_of(a_.layout.rows, side, 0).count;
    const std::size_t columns = part_of(b_.layout.columns, side, 0).count;
    const std::size_t inner = std::min(width_, part_of(a_.layout.columns, side, 0).count);
    return std::max(std::size_t{1}, rows * columns / std::max(std::size_t{1}, inner * (rows + columns)));
  }

  void step(std::uint64_t number, std::vector<T>& c) {
    const auto& [owner, panel] = panels_[number];
    const SquareGrid& grid = a_.layout.grid;
    const Rank self = world_.rank();
    std::span<const T> left;
    std::span<const T> right;
    if (grid.column(self) == owner) {
      left = this->left(number);
      send_along_row<T>(grid, self, left, queue_);
    }
    if (grid.row(self) == owner) {
      right = this->right(number);
      send_along_column<T>(grid, self, right, queue_);
    }
    world_.sync();
    for (const auto message : queue_)
      (message.tag() == Factor::a ? left : right) = message.values();
    add_product<T>(shape(panel.count), left, right, c);
  }

 private:
  /// Of the inner index, as it stands in the blocks of the grid's column `owner` of A and row `owner` of B.
  struct Panel {
    int owner;
    Range range;
  };

  World& world_;
  const BlockMatrix<T>& a_;
  const BlockMatrix<T>& b_;
  std::size_t width_;
  BlockQueue<T> queue_;
  std::vector<Panel> panels_;
  std::vector<T> packed_;
};

}  // namespace

template <class T>
BlockMatrix<T> matmul_summa(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b, std::size_t width,
                            const std::optional<Keep>& keep) {
  if (width == 0) throw UsageError("a product by panels was asked for panels of width 0: choose 1 or more");
  check_factors(world, a, b);
  world.agree(width);
  Summa<T> product(world, a, b, width);
  return multiply_in_steps(world, product, BlockMatrix<T>(world, a.layout.rows, b.layout.columns), keep);
}

template BlockMatrix<float> matmul_summa(World&, const BlockMatrix<float>&, const BlockMatrix<float>&,
                                         std::size_t, const std::optional<Keep>&);
template BlockMatrix<double> matmul_summa(World&, const BlockMatrix<double>&, const BlockMatrix<double>&,
                                          std::size_t, const std::optional<Keep>&);

}  // namespace lbsp::algorithms
