#include "model/mathematics/least_squares.hpp"

#include <array>

#include "gtest/gtest.h"

namespace lbsp::model::mathematics {
namespace {

TEST(LeastSquares, finds_the_coefficients_of_exact_samples) {
  const std::array samples{Sample{1, 2, 8}, Sample{1, 5, 17}, Sample{3, 1, 9}};
  const auto found = least_squares(samples);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->first, 2, 1e-14);
  EXPECT_NEAR(found->second, 3, 1e-14);
}

TEST(LeastSquares, leaves_residuals_that_no_coefficient_could_reduce) {
  const std::array samples{Sample{1, 0, 1}, Sample{1, 1, 3}, Sample{1, 2, 2}, Sample{1, 7, 11}};
  const auto found = least_squares(samples);
  ASSERT_TRUE(found);
  double first = 0;
  double second = 0;
  for (const Sample& sample : samples) {
    const double residual = found->first * sample.first + found->second * sample.second - sample.value;
    first += residual * sample.first;
    second += residual * sample.second;
  }
  EXPECT_NEAR(first, 0, 1e-13);
  EXPECT_NEAR(second, 0, 1e-13);
}

TEST(LeastSquares, keeps_its_digits_where_the_columns_are_nearly_alike) {
  const std::array samples{Sample{1, 1e6, 3e6 + 2}, Sample{1, 1e6 + 1, 3e6 + 5}, Sample{1, 1e6 + 2, 3e6 + 8}};
  const auto found = least_squares(samples);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->second, 3, 1e-8);
}

TEST(LeastSquares, has_no_answer_where_samples_do_not_determine_both) {
  EXPECT_FALSE(least_squares({}));
  EXPECT_FALSE(least_squares(std::array{Sample{1, 2, 3}}));
  EXPECT_FALSE(least_squares(std::array{Sample{1, 2, 3}, Sample{2, 4, 7}, Sample{0.3, 0.6, 1}}));
  EXPECT_FALSE(least_squares(std::array{Sample{1, 0, 3}, Sample{2, 0, 7}}));
}

}  // namespace
}  // namespace lbsp::model::mathematics
