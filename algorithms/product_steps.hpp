#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/block_matrix.hpp"
#include "algorithms/product_catch_up.hpp"
#include "lbsp/steps.hpp"
#include "transport/error.hpp"

namespace lbsp::algorithms {

/// Which product it is, and by which steps: what must not have changed if it is gone on with.
using ProductName = std::array<std::uint64_t, 5>;

/// A rank's part of a product so far. Beside the factors, a product by steps needs nothing else to be gone on with.
template <class T>
struct ProductPart {
  ProductName name{};
  std::vector<T> values;

  template <class All>
  void fields(All& all) {
    all(name, values);
  }
};

/// Makes the product by the steps of `product`, of one superstep each; with `keep` other hosts keep the ranks' parts
/// of it: now and then only, as a new process can catch up (product_catch_up.hpp). A Product has count(), name() and
/// step(number, values), which adds to this rank's part. It may begin with any step. To catch up it has factors(number,
/// rank), left(number) and right(number), the factors of a step that this rank has, shape(inner) of what this rank
/// multiplies, and steps_at_once().
template <class T, class Product>
BlockMatrix<T> multiply_in_steps(World& world, Product& product, BlockMatrix<T> zero,
                                 std::optional<Keep> keep) {
  if (!keep) {
    for (std::uint64_t step = 0; step < product.count(); ++step)
      product.step(step, zero.values);
    return zero;
  }
  ProductPart<T> part{product.name(), std::move(zero.values)};
  const std::size_t size = part.values.size();
  keep->catches_up = true;
  Steps steps(world, part, product.count(), *keep);
  if (part.name != product.name() || part.values.size() != size)
    throw UsageError(
        "the states that were kept are of another product: give the sizes, the algorithm and the panels that it had");
  if (world.change() && steps.first() > 0)
    catch_up(world, product, steps.own_step(), steps.first(), part.values);
  for (const std::uint64_t step : steps)
    product.step(step, part.values);
  zero.values = std::move(part.values);
  return zero;
}

}  // namespace lbsp::algorithms
