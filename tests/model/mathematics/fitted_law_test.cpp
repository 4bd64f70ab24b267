#include "model/mathematics/fitted_law.hpp"

#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "model/mathematics/least_squares.hpp"

namespace lbsp::model::mathematics {
namespace {

TEST(FittedLaw, has_no_interval_where_there_are_no_more_measurements_than_constants) {
  const std::vector<double> errors{0.1, -0.1};
  EXPECT_FALSE(nine_of_ten_part(errors, 2));
  EXPECT_FALSE(nine_of_ten_part({}, 0));
}

TEST(FittedLaw, is_as_far_off_as_students_table_says) {
  const std::vector<double> three{0.1, -0.2, 0.1};
  EXPECT_NEAR(*nine_of_ten_part(three, 2), 6.3138 * std::sqrt(0.06 * (1 + 2. / 3)), 1e-4);
  EXPECT_NEAR(*nine_of_ten_part(three, 1), 2.9200 * std::sqrt(0.03 * (1 + 1. / 3)), 1e-4);
}

/// Two constants fitted to a few measurements with errors of 3 %, spread over a range, and one more in that range.
TEST(FittedLaw, has_nine_of_ten_further_measurements_within_its_interval) {
  std::mt19937 generator(16);
  std::normal_distribution<double> error(0, 0.03);
  std::uniform_real_distribution<double> place(1, 10);
  for (const std::size_t count : {3U, 4U, 8U}) {
    int within = 0;
    constexpr int trials = 4000;
    for (int trial = 0; trial < trials; ++trial) {
      std::vector<Sample> samples;
      std::vector<double> places;
      std::vector<double> measured;
      for (std::size_t i = 0; i < count; ++i) {
        places.push_back(1 + 9 * static_cast<double>(i) / static_cast<double>(count - 1));
        measured.push_back((5 + 2 * places.back()) * (1 + error(generator)));
        samples.push_back({1 / measured.back(), places.back() / measured.back(), 1});
      }
      const Coefficients fitted = *least_squares(samples);
      std::vector<double> errors;
      for (std::size_t i = 0; i < count; ++i)
        errors.push_back((fitted.first + fitted.second * places[i]) / measured[i] - 1);
      const double next = place(generator);
      const double says = fitted.first + fitted.second * next;
      const double truth = (5 + 2 * next) * (1 + error(generator));
      within += std::abs(truth / says - 1) <= *nine_of_ten_part(errors, 2) ? 1 : 0;
    }
    EXPECT_GT(within, 0.86 * trials) << count;
    EXPECT_LT(within, 0.93 * trials) << count;
  }
}

}  // namespace
}  // namespace lbsp::model::mathematics
