#include "algorithms/verification.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace lbsp::algorithms {
namespace {

double error(std::vector<double> values, std::vector<double> reference) {
  return relative_error<double>(values, reference);
}

TEST(RelativeError, is_the_distance_over_the_norm) {
  EXPECT_DOUBLE_EQ(error({3, 4}, {3, 4}), 0);
  EXPECT_DOUBLE_EQ(error({3, 4.5}, {3, 4}), 0.1);
  EXPECT_DOUBLE_EQ(error({0, 0}, {0, 0}), 0);
}

TEST(RelativeError, does_not_overflow_where_the_elements_do_not) {
  EXPECT_NEAR(error({1e300, 1.1e300}, {1e300, 1e300}), 0.1 / std::sqrt(2), 1e-12);
}

TEST(RelativeError, is_below_no_bound_where_something_is_not_finite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinity, -infinity}) {
    EXPECT_FALSE(error({1, bad}, {1, bad}) <= 1) << bad;
    EXPECT_FALSE(error({1, bad}, {1, 1}) <= 1) << bad;
    EXPECT_FALSE(error({1, 1}, {1, bad}) <= 1) << bad;
    EXPECT_FALSE(std::signbit(error({1, bad}, {1, bad}))) << bad;
  }
  EXPECT_FALSE(error({1, 1}, {0, 0}) <= 1);
}

TEST(RelativeError, of_different_lengths_is_below_no_bound) {
  EXPECT_FALSE(error({1, 2}, {1}) <= 1);
}

TEST(Verification, passes_what_rounding_explains_and_nothing_else) {
  const double epsilon = std::numeric_limits<double>::epsilon();
  const std::vector<double> reference(100, 1);
  std::vector<double> values = reference;
  values[42] = 1 + 90 * epsilon;
  EXPECT_TRUE(verify_product<double>(values, reference, 9).passed());
  EXPECT_FALSE(verify_product<double>(values, reference, 8).passed());
}

TEST(Verification, allows_more_in_single_precision) {
  const std::vector<float> reference(4, 1);
  const std::vector<float> values(4, 1 + 1e-6F);
  EXPECT_TRUE(verify_product<float>(values, reference, 10).passed());
  EXPECT_DOUBLE_EQ(verify_product<float>(values, reference, 10).bound, 10 * std::ldexp(1., -23));
}

TEST(Verification, never_passes_what_is_not_finite) {
  const std::vector<double> values{std::numeric_limits<double>::quiet_NaN()};
  EXPECT_FALSE(verify_product<double>(values, values, 1).passed());
}

}  // namespace
}  // namespace lbsp::algorithms
