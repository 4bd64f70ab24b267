#include "algorithms/matmul_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/error.hpp"

namespace lbsp::algorithms {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr ProductShape cube{900, 900, 900};  // blocks of 300 x 300 on a 3 x 3 grid
constexpr std::size_t element_bytes = 8;

ProductPlan plan(const ProductLimits& limits) {
  return plan_product(cube, 3, element_bytes, limits);
}

TEST(ProductPlan, is_the_direct_way_unless_told_otherwise) {
  EXPECT_EQ(plan({}).algorithm, ProductAlgorithm::direct);
  EXPECT_EQ(plan({ProductAlgorithm::fox, {}}).algorithm, ProductAlgorithm::fox);
}

TEST(ProductPlan, counts_what_is_sent_and_received) {
  EXPECT_EQ(message_elements({ProductAlgorithm::direct, 0}, cube, 3), 2 * 2 * (90'000. + 90'000));
  EXPECT_EQ(message_elements({ProductAlgorithm::fox, 0}, cube, 3), 3 * 90'000. + 2 * 90'000);
  EXPECT_EQ(message_elements({ProductAlgorithm::summa, 10}, cube, 3), 3 * 10 * 600.);
  EXPECT_EQ(message_elements({ProductAlgorithm::direct, 0}, cube, 1), 0);
}

TEST(ProductPlan, takes_the_widest_panels_that_fit_where_the_direct_way_does_not) {
  constexpr std::uint64_t direct = 2 * 2 * 180'000 * element_bytes;
  EXPECT_EQ(plan({{}, direct}).algorithm, ProductAlgorithm::direct);
  for (const std::uint64_t memory :
       {direct - 1, direct / 5, direct / 100, std::uint64_t{3 * 600 * element_bytes}}) {
    const ProductPlan panels = plan({{}, memory});
    EXPECT_EQ(panels.algorithm, ProductAlgorithm::summa);
    EXPECT_LE(message_elements(panels, cube, 3) * element_bytes, static_cast<double>(memory));
    if (panels.panel == 300) continue;
    EXPECT_GT(message_elements({ProductAlgorithm::summa, panels.panel + 1}, cube, 3) * element_bytes,
              static_cast<double>(memory));
  }
}

TEST(ProductPlan, that_does_not_fit_is_refused_with_what_is_needed) {
  EXPECT_THAT(
      [] {
        plan({{}, 3 * 600 * element_bytes - 1});
      },
      ThrowsMessage<UsageError>(AllOf(HasSubstr("summa algorithm take 14.1 KiB"), HasSubstr("are allowed"))));
  EXPECT_THAT(
      [] {
        plan({ProductAlgorithm::fox, 1000});
      },
      ThrowsMessage<UsageError>(AllOf(HasSubstr("fox algorithm"), HasSubstr(", or summa"))));
}

TEST(ProductPlan, of_one_rank_needs_nothing) {
  EXPECT_EQ(plan_product(cube, 1, element_bytes, {{}, 1}).algorithm, ProductAlgorithm::direct);
}

}  // namespace
}  // namespace lbsp::algorithms
