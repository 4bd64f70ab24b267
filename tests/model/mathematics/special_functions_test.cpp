#include "model/mathematics/special_functions.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace lbsp::model::mathematics {
namespace {

TEST(LogOfRest, is_as_exact_as_it_says_on_both_sides_of_its_shortcut) {
  for (double x = 1e-300; x < 1; x *= 1.07) {
    const double exact = std::log1p(-x);
    EXPECT_NEAR(log_of_rest(x) / exact, 1, 1e-10) << x;
  }
}

TEST(LogOfRest, has_both_ends) {
  EXPECT_EQ(log_of_rest(0), 0);
  EXPECT_EQ(log_of_rest(1), -std::numeric_limits<double>::infinity());
}

TEST(BinomialMoreThan, sums_the_distribution_and_has_its_ends) {
  EXPECT_EQ(binomial_more_than(5, 0.3, 5), 0);
  EXPECT_EQ(binomial_more_than(5, 0.3, 7), 0);
  EXPECT_EQ(binomial_more_than(5, 0.3, -1), 1);
  EXPECT_EQ(binomial_more_than(5, 0, 0), 0);
  EXPECT_NEAR(binomial_more_than(5, 0.3, 4), std::pow(0.3, 5), 1e-15);
  EXPECT_NEAR(binomial_more_than(5, 0.3, 0), 1 - std::pow(0.7, 5), 1e-15);
}

}  // namespace
}  // namespace lbsp::model::mathematics
