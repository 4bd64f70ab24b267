#include "tools/programs/matmul/matmul_job.hpp"

#include <fmt/format.h>
#include <optional>
#include <vector>

#include "algorithms/block_transfer.hpp"
#include "algorithms/local_product.hpp"
#include "algorithms/matmul.hpp"
#include "algorithms/verification.hpp"
#include "tools/command_line/atomic_file.hpp"
#include "tools/command_line/short_number.hpp"
#include "tools/programs/matmul/matmul_factors.hpp"
#include "tools/programs/memory.hpp"
#include "tools/programs/npy.hpp"
#include "tools/programs/refutation.hpp"
#include "tools/programs/slowest.hpp"

namespace lbsp::programs::matmul {
namespace {

using algorithms::ProductShape;

template <class T>
std::string summarise(const World& world, const ProductShape& shape, Seconds time) {
  const char* precision = sizeof(T) == sizeof(float) ? "single" : "double";
  const bool square = shape.rows == shape.inner && shape.inner == shape.columns;
  const std::string sizes =
      square ? fmt::format("N={}", shape.inner)
             : fmt::format("{}x{} by {}x{}", shape.rows, shape.inner, shape.inner, shape.columns);
  return fmt::format("matmul: {} P={} {} {} s, {} GFlop/s", sizes, world.size(), precision,
                     command_line::short_number(time.count()),
                     command_line::short_number(shape.flops() / time.count() / 1e9));
}

template <class T>
void verify(World& world, const std::vector<T>& product, const MatmulFactors<T>& factors, Outcome& outcome) {
  std::vector<T> alone(product.size());
  algorithms::add_product<T>(factors.shape(), factors.whole_a, factors.whole_b, alone);
  const auto verification = algorithms::verify_product<T>(product, alone, factors.shape().inner);
  const bool passed = verification.passed();
  world.set_verified(passed);
  outcome.summary +=
      fmt::format(", relative error {:.2g}, {}", verification.error, passed ? "verified" : "not verified");
  if (passed) return;
  outcome.refutation = refutation_of("the product", verification.error, verification.bound);
}

template <class T>
Outcome multiply(World& world, const MatmulArguments& arguments) {
  // A place that cannot be written is found before the work, not after it.
  std::optional<command_line::AtomicFile> out;
  if (world.rank() == 0 && !arguments.out.empty()) out.emplace(arguments.out);

  if (!arguments.from_files()) {
    const auto side = static_cast<double>(arguments.size);
    require_memory_of_part(side * side, 3 * sizeof(T), world,
                           fmt::format("three matrices of {0}x{0}", arguments.size));
  }
  const MatmulFactors<T> factors = make_factors<T>(world, arguments);
  const ProductShape shape = factors.shape();
  const auto plan =
      algorithms::plan_product(shape, factors.a.layout.grid.side(), sizeof(T), arguments.limits);
  const Seconds begin = world.time();
  const auto block = algorithms::matmul(world, factors.a, factors.b, plan, arguments.keep);
  const Seconds time = slowest(world, world.time() - begin);

  const bool verifies = arguments.verifies(shape);
  std::vector<T> product;
  if (verifies || !arguments.out.empty()) product = algorithms::gather(world, block);
  Outcome outcome;
  if (world.rank() != 0) return outcome;

  outcome.summary = summarise<T>(world, shape, time);
  if (verifies) verify(world, product, factors, outcome);
  if (out && outcome.refutation.empty()) {
    write_npy<T>(*out, {shape.rows, shape.columns}, product);
    out->commit();
  }
  return outcome;
}

}  // namespace

Outcome matmul_job(World& world, const MatmulArguments& arguments) {
  const algorithms::SquareGrid checked_before_any_file(world.size());
  return arguments.single_precision ? multiply<float>(world, arguments) : multiply<double>(world, arguments);
}

}  // namespace lbsp::programs::matmul
