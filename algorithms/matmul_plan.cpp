#include "algorithms/matmul_plan.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "algorithms/block_layout.hpp"
#include "transport/error.hpp"
#include "transport/quantity.hpp"

namespace lbsp::algorithms {
namespace {

/// The largest part is the first.
double largest_part(std::size_t total, int parts) {
  return static_cast<double>(part_of(total, parts, 0).count);
}

const char* name_of(ProductAlgorithm algorithm) {
  switch (algorithm) {
    case ProductAlgorithm::direct:
      return "direct";
    case ProductAlgorithm::fox:
      return "fox";
    default:
      return "summa";
  }
}

[[noreturn]] void refuse(ProductAlgorithm algorithm, double bytes, std::uint64_t memory) {
  throw UsageError(
      fmt::format("the messages of the {} algorithm take {} on a rank, and {} are allowed: give that much, "
                  "use more ranks{}",
                  name_of(algorithm), transport::format_size(static_cast<std::uint64_t>(bytes), 3),
                  transport::format_size(memory), algorithm == ProductAlgorithm::summa ? "" : ", or summa"));
}

ProductPlan plan_summa(const ProductShape& shape, int side, std::size_t element_bytes,
                       std::optional<std::uint64_t> memory) {
  ProductPlan plan{ProductAlgorithm::summa, std::max<std::size_t>(part_of(shape.inner, side, 0).count, 1)};
  if (!memory) return plan;
  const double of_one =
      message_elements({ProductAlgorithm::summa, 1}, shape, side) * static_cast<double>(element_bytes);
  const double fitting = std::floor(static_cast<double>(*memory) / of_one);
  if (fitting < 1) refuse(ProductAlgorithm::summa, of_one, *memory);
  if (fitting < static_cast<double>(plan.panel)) plan.panel = static_cast<std::size_t>(fitting);
  return plan;
}

}  // namespace

double message_elements(const ProductPlan& plan, const ProductShape& shape, int side) {
  if (side == 1) return 0;
  const double rows = largest_part(shape.rows, side);
  const double inner = largest_part(shape.inner, side);
  const double columns = largest_part(shape.columns, side);
  switch (plan.algorithm) {
    case ProductAlgorithm::direct:
      return 2. * (side - 1) * inner * (rows + columns);
    case ProductAlgorithm::fox:
      return side * rows * inner + 2 * inner * columns;
    default:
      return side * static_cast<double>(plan.panel) * (rows + columns);
  }
}

ProductPlan plan_product(const ProductShape& shape, int side, std::size_t element_bytes,
                         const ProductLimits& limits) {
  const auto wanted = limits.algorithm.value_or(ProductAlgorithm::direct);
  if (wanted == ProductAlgorithm::summa) return plan_summa(shape, side, element_bytes, limits.memory_bytes);
  const ProductPlan plan{wanted, 0};
  const double bytes = message_elements(plan, shape, side) * static_cast<double>(element_bytes);
  if (!limits.memory_bytes || bytes <= static_cast<double>(*limits.memory_bytes)) return plan;
  if (limits.algorithm) refuse(wanted, bytes, *limits.memory_bytes);
  return plan_summa(shape, side, element_bytes, limits.memory_bytes);
}

}  // namespace lbsp::algorithms
