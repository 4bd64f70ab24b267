#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "algorithms/local_product.hpp"

namespace lbsp::algorithms {

enum class ProductAlgorithm : std::uint8_t {
  direct,  ///< one superstep, most memory
  fox,     ///< √P supersteps, a block of A and one of B at a time
  summa,   ///< as many supersteps as there are panels, as little memory as a panel one element wide
};

struct ProductPlan {
  ProductAlgorithm algorithm = ProductAlgorithm::direct;
  std::size_t panel = 0;  ///< columns of A and rows of B in a superstep of summa
};

/// How many elements the messages of a superstep hold at the busiest rank, sent and received, on a `side` ×
/// `side` grid: 2(√P-1)(a + b) of the direct algorithm for blocks of a and b elements, √P·a + 2b of Fox's, √P
/// times a panel of each of summa.
double message_elements(const ProductPlan& plan, const ProductShape& shape, int side);

/// What a product may take.
struct ProductLimits {
  std::optional<ProductAlgorithm> algorithm;  ///< unless given, direct if it fits, or else summa
  std::optional<std::uint64_t> memory_bytes;  ///< for the messages of one rank; blocks of A, B and C apart
};

/// The plan that keeps within the limits in the fewest supersteps. Throws UsageError, which says how much
/// memory is needed, if there is none.
ProductPlan plan_product(const ProductShape& shape, int side, std::size_t element_bytes,
                         const ProductLimits& limits);

}  // namespace lbsp::algorithms
