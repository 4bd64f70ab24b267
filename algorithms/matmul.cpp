#include "algorithms/matmul.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/local_product.hpp"
#include "algorithms/product_factors.hpp"
#include "algorithms/product_steps.hpp"

namespace lbsp::algorithms {
namespace {

template <class T>
class Direct {
 public:
  Direct(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b)
      : world_(world), a_(a), b_(b), queue_(world) {}

  std::uint64_t count() const { return 1; }
  ProductName name() const {
    return {a_.layout.rows, a_.layout.columns, b_.layout.columns,
            static_cast<std::uint64_t>(ProductAlgorithm::direct), 0};
  }

  /// Nothing is kept before its only step.
  StepFactors factors(std::uint64_t, Rank of) const { return {of, of, 0}; }
  std::span<const T> left(std::uint64_t) const { return {}; }
  std::span<const T> right(std::uint64_t) const { return {}; }
  ProductShape shape(std::size_t inner) const { return {a_.rows.count, inner, b_.columns.count}; }
  std::uint64_t steps_at_once() const { return 1; }

  void step(std::uint64_t, std::vector<T>& c) {
    const SquareGrid& grid = a_.layout.grid;
    const Rank self = world_.rank();
    send_along_row<T>(grid, self, a_.values, queue_);
    send_along_column<T>(grid, self, b_.values, queue_);
    world_.sync();

    Panel row_of_a(static_cast<std::size_t>(grid.side()));
    Panel column_of_b(row_of_a.size());
    row_of_a[static_cast<std::size_t>(grid.column(self))] = a_.values;
    column_of_b[static_cast<std::size_t>(grid.row(self))] = b_.values;
    for (const auto message : queue_) {
      const Rank source = message.source();
      if (message.tag() == Factor::a) {
        row_of_a[static_cast<std::size_t>(grid.column(source))] = message.values();
      } else {
        column_of_b[static_cast<std::size_t>(grid.row(source))] = message.values();
      }
    }
    for (std::size_t i = 0; i < row_of_a.size(); ++i) {
      const std::size_t inner = part_of(a_.layout.columns, grid.side(), static_cast<int>(i)).count;
      add_product<T>({a_.rows.count, inner, b_.columns.count}, row_of_a[i], column_of_b[i], c);
    }
  }

 private:
  /// The blocks of one row or column of the grid, in its order. They stay where they are: the own one in the
  /// caller's matrix, the others in the messages they came in.
  using Panel = std::vector<std::span<const T>>;

  World& world_;
  const BlockMatrix<T>& a_;
  const BlockMatrix<T>& b_;
  BlockQueue<T> queue_;
};

template <class T>
BlockMatrix<T> matmul_direct(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b,
                             const std::optional<Keep>& keep) {
  check_factors(world, a, b);
  Direct<T> product(world, a, b);
  return multiply_in_steps(world, product, BlockMatrix<T>(world, a.layout.rows, b.layout.columns), keep);
}

}  // namespace

template <class T>
BlockMatrix<T> matmul(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b) {
  return matmul_direct(world, a, b, {});
}

template <class T>
BlockMatrix<T> matmul(World& world, const BlockMatrix<T>& a, const BlockMatrix<T>& b, const ProductPlan& plan,
                      const std::optional<Keep>& keep) {
  switch (plan.algorithm) {
    case ProductAlgorithm::fox:
      return matmul_fox(world, a, b, keep);
    case ProductAlgorithm::summa:
      return matmul_summa(world, a, b, plan.panel, keep);
    default:
      return matmul_direct(world, a, b, keep);
  }
}

template BlockMatrix<float> matmul(World&, const BlockMatrix<float>&, const BlockMatrix<float>&);
template BlockMatrix<double> matmul(World&, const BlockMatrix<double>&, const BlockMatrix<double>&);
template BlockMatrix<float> matmul(World&, const BlockMatrix<float>&, const BlockMatrix<float>&,
                                   const ProductPlan&, const std::optional<Keep>&);
template BlockMatrix<double> matmul(World&, const BlockMatrix<double>&, const BlockMatrix<double>&,
                                    const ProductPlan&, const std::optional<Keep>&);

}  // namespace lbsp::algorithms
