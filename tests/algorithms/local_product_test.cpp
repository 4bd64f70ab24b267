#include "algorithms/local_product.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "transport/error.hpp"

namespace lbsp::algorithms {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(AddProduct, multiplies_row_by_row_and_adds) {
  const std::vector<double> a{1, 2, 3, 4, 5, 6};  // 2 × 3
  const std::vector<double> b{1, 0, 0, 1, 1, 1};  // 3 × 2
  std::vector<double> c{100, 0, 0, 0};
  add_product<double>({2, 3, 2}, a, b, c);
  EXPECT_THAT(c, ElementsAre(104, 5, 10, 11));
}

TEST(AddProduct, of_nothing_changes_nothing) {
  std::vector<float> c{1, 2};
  add_product<float>({1, 0, 2}, {}, {}, c);
  EXPECT_THAT(c, ElementsAre(1, 2));
}

TEST(AddProduct, refuses_what_the_blas_cannot_count) {
  EXPECT_THAT(
      [] {
        add_product<double>({std::size_t{1} << 31, 1, 0}, {}, {}, {});
      },
      ThrowsMessage<UsageError>(HasSubstr("2147483648 rows or columns")));
}

TEST(ProductShape, counts_a_multiplication_and_an_addition_each) {
  EXPECT_EQ((ProductShape{2, 3, 4}).flops(), 48);
}

}  // namespace
}  // namespace lbsp::algorithms
