#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "algorithms/local_product.hpp"

namespace lbsp::algorithms {

enum class ProductAlgorithm : std::uint8_t {
  direct,  ///< one superstep, most memory
  fox,     ///< √P supersteps, a block of A and one of B at a time
  summa,   ///< a superstep for each panel; the least memory, down to panels one element wide
};

struct ProductPlan {
  ProductAlgorithm algorithm = ProductAlgorithm::direct;
  std::size_t panel = 0;  ///< columns of A and rows of B in a superstep of summa
};

/// How many elements the messages of a superstep hold at the busiest rank, sent and received, on a `side` ×
/// `side` grid. For blocks of a and b elements: 2(√P-1)(a + b) with `direct`, √P·a + 2b with `fox`, and √P
/// times a panel of each with `summa`.
double message_elements(const ProductPlan& plan, const ProductShape& shape, int side);

/// The limits that a plan must keep.
struct ProductLimits {
  std::optional<ProductAlgorithm> algorithm;  ///< if not given: direct if it fits, else summa
  std::optional<std::uint64_t>
      memory_bytes;  ///< for the messages of one rank, apart from its blocks of A, B and C
};

/// The plan with the fewest supersteps that keeps the limits. If there is none, throws UsageError, which says
/// how much memory is needed.
ProductPlan plan_product(const ProductShape& shape, int side, std::size_t element_bytes,
                         const ProductLimits& limits);

}  // namespace lbsp::algorithms
