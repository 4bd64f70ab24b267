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

template <class T>
class Fox {
 public:
  Fox(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b)
      : world_(world), a_(a), b_(b), grid_(a.layout.grid), queue_(world) {}

  std::uint64_t count() const { return static_cast<std::uint64_t>(grid_.side()); }
  ProductName name() const {
    return {a_.layout.rows, a_.layout.columns, b_.layout.columns,
            static_cast<std::uint64_t>(ProductAlgorithm::fox), 0};
  }

  /// The own blocks, wherever those of B have been rolled to.
  StepFactors factors(std::uint64_t number, Rank of) const {
    const int inner = inner_of(number, of);
    return {grid_.rank(grid_.row(of), inner), grid_.rank(inner, grid_.column(of)),
            part_of(a_.layout.columns, grid_.side(), inner).count};
  }
  std::span<const T> left(std::uint64_t) const { return a_.values; }
  std::span<const T> right(std::uint64_t) const { return b_.values; }
  ProductShape shape(std::size_t inner) const { return {a_.rows.count, inner, b_.columns.count}; }
  std::uint64_t steps_at_once() const { return 1; }

  void step(std::uint64_t number, std::vector<T>& c) {
    const Rank self = world_.rank();
    const int step = static_cast<int>(number);
    const int inner = inner_of(number, self);
    const bool mine = grid_.column(self) == inner;
    if (mine) send_along_row<T>(grid_, self, a_.values, queue_);
    if (step > 0) roll(step);
    world_.sync();

    std::span<const T> from_row = mine ? std::span<const T>(a_.values) : std::span<const T>();
    rolled_ = step > 0 ? std::span<const T>() : std::span<const T>(b_.values);
    for (const auto message : queue_)
      (message.tag() == Factor::a ? from_row : *rolled_) = message.values();
    const Range rows = a_.layout.rows_of(self);
    const Range columns = b_.layout.columns_of(self);
    add_product<T>({rows.count, part_of(a_.layout.columns, grid_.side(), inner).count, columns.count},
                   from_row, *rolled_, c);
  }

 private:
  /// Which block of the rank's row of A, and of its column of B.
  int inner_of(std::uint64_t number, Rank of) const {
    return (grid_.row(of) + static_cast<int>(number)) % grid_.side();
  }
  /// Passes the block of B on, or gives the own one to whom it would have come by now, if this is the first step.
  void roll(int step) {
    const Rank self = world_.rank();
    const int rows_up = rolled_ ? 1 : step;
    const Rank to = grid_.rank((grid_.row(self) + grid_.side() - rows_up) % grid_.side(), grid_.column(self));
    const std::span<const T> block = rolled_ ? *rolled_ : std::span<const T>(b_.values);
    if (!block.empty()) queue_.send(to, Factor::b, block);
  }

  World& world_;
  const BlockMatrix<T>& a_;
  const BlockMatrix<T>& b_;
  const SquareGrid& grid_;
  BlockQueue<T> queue_;
  std::optional<std::span<const T>> rolled_;  ///< stays where it came until the next superstep has it
};

}  // namespace

template <class T>
BlockMatrix<T> matmul_fox(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b,
                          const std::optional<Keep>& keep) {
  check_factors(world, a, b);
  Fox<T> product(world, a, b);
  return multiply_in_steps(world, product, BlockMatrix<T>(world, a.layout.rows, b.layout.columns), keep);
}

template BlockMatrix<float> matmul_fox(World&, const BlockMatrix<float>&, const BlockMatrix<float>&,
                                       const std::optional<Keep>&);
template BlockMatrix<double> matmul_fox(World&, const BlockMatrix<double>&, const BlockMatrix<double>&,
                                        const std::optional<Keep>&);

}  // namespace lbsp::algorithms
