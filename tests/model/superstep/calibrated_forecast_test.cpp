#include "model/superstep/calibrated_forecast.hpp"

#include <cmath>
#include <functional>
#include <random>

#include "gtest/gtest.h"

namespace lbsp::model::superstep {
namespace {

constexpr int supersteps = 1000;

/// Nine of ten by the prediction: 90 to 120 ms.
constexpr Spread usual{.mean = 0.1, .deviation = 0, .from = 0.09, .to = 0.12};

struct Inside {
  int count = 0;
  double width = 0;  ///< on average
};

/// Of so many supersteps that take as long as `seconds` says, given the number of each.
Inside inside_of(const std::function<double(int)>& seconds) {
  CalibratedForecast forecasts;
  Inside out;
  for (int k = 0; k < supersteps; ++k) {
    const Spread spread = forecasts.of(usual);
    const double took = seconds(k);
    out.count += took >= spread.from && took <= spread.to;
    out.width += (spread.to - spread.from) / supersteps;
    forecasts.learn(usual, took);
  }
  return out;
}

/// With the error that predictions have, which the first superstep is the first to show.
double with_error(double beside, double mean) {
  return std::hypot(beside, CalibratedForecast::first_error * mean);
}

TEST(CalibratedForecast, begins_with_what_was_predicted) {
  const Spread first = CalibratedForecast().of(usual);
  EXPECT_NEAR(first.from, usual.mean - with_error(0.01, usual.mean), 1e-6);
  EXPECT_NEAR(first.to, usual.mean + with_error(0.02, usual.mean), 1e-6);
  EXPECT_DOUBLE_EQ(first.mean, usual.mean);
}

/// A nineteenth of it was, after each.
TEST(CalibratedForecast, believes_after_one_superstep_that_the_prediction_is_three_times_too_long) {
  CalibratedForecast forecasts;
  for (int k = 0; k < 20; ++k) {
    const Spread spread = forecasts.of(usual);
    if (k > 0) {
      EXPECT_NEAR(spread.mean, usual.mean / 3, 0.03 * usual.mean) << k;
      EXPECT_LT(spread.from, usual.mean / 3) << k;
      EXPECT_GT(spread.to, usual.mean / 3) << k;
      EXPECT_LT(spread.to, usual.mean) << k;
    }
    forecasts.learn(usual, usual.mean / 3);
  }
}

TEST(CalibratedForecast, takes_no_chance_for_a_shift) {
  CalibratedForecast forecasts;
  forecasts.learn(usual, usual.mean + 0.008);
  EXPECT_DOUBLE_EQ(forecasts.of(usual).mean, usual.mean);
}

TEST(CalibratedForecast, is_less_sure_of_a_shift_the_fewer_supersteps_have_shown_it) {
  CalibratedForecast forecasts;
  const auto width = [&] { return forecasts.of(usual).to - forecasts.of(usual).from; };
  forecasts.learn(usual, 0.3);
  const double after_one = width();
  forecasts.learn(usual, 0.3);
  EXPECT_LT(width(), after_one);
  EXPECT_GT(after_one, 2 * (usual.to - usual.from));
}

TEST(CalibratedForecast, holds_nine_of_ten_where_the_prediction_is_right) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const Inside found = inside_of([&](int) {
    const double score = normal(random) / 1.645;
    return usual.mean + score * (score < 0 ? usual.mean - usual.from : usual.to - usual.mean);
  });
  EXPECT_NEAR(found.count, 900, 20);
  EXPECT_NEAR(found.width, usual.to - usual.from, 0.004);
}

TEST(CalibratedForecast, holds_nine_of_ten_where_ranks_wait_for_a_processor) {
  std::mt19937 random(2);
  std::lognormal_distribution<double> waiting(std::log(0.01),
                                              1.5);  // 10 ms in the median, 100 ms in one of 16
  const Inside found = inside_of([&](int) { return usual.mean + waiting(random); });
  EXPECT_NEAR(found.count, 900, 20);
}

TEST(CalibratedForecast, holds_nine_of_ten_where_the_hosts_change) {
  std::mt19937 random(3);
  std::exponential_distribution<double> waiting(1);
  const Inside found = inside_of([&](int k) {
    const bool busy = k / 100 % 2 == 1;
    return usual.mean + (busy ? 0.03 : 0.003) * waiting(random);
  });
  EXPECT_NEAR(found.count, 900, 20);
}

TEST(CalibratedForecast, becomes_narrow_where_supersteps_are_alike) {
  CalibratedForecast forecasts;
  for (int k = 0; k < 100; ++k)
    forecasts.learn(usual, 0.15 + 1e-4 * (k % 7));
  const Spread spread = forecasts.of(usual);
  EXPECT_NEAR(spread.from, 0.15, 1e-3);
  EXPECT_NEAR(spread.to, 0.1506, 1e-3);
  EXPECT_NEAR(spread.mean, 0.1503, 1e-4);
  EXPECT_LT(spread.deviation, 3e-4);
  EXPECT_NEAR(CalibratedForecast().of(usual).to, usual.mean + with_error(0.02, usual.mean), 1e-6)
      << "each run learns for itself";
}

TEST(CalibratedForecast, learns_of_supersteps_that_take_about_as_long) {
  CalibratedForecast forecasts;
  for (int k = 0; k < 100; ++k)
    forecasts.learn(usual, 0.2);
  const Spread longer{.mean = 10, .deviation = 0, .from = 9, .to = 12};
  EXPECT_NEAR(forecasts.of(longer).to, longer.mean + with_error(2, longer.mean), 1e-6);
  EXPECT_NEAR(forecasts.of({.mean = 0.12, .deviation = 0, .from = 0.12, .to = 0.12}).to, 0.22, 1e-6);
}

TEST(CalibratedForecast, expects_of_a_kind_that_is_new_what_the_last_of_a_kind_that_is_near_has_shown) {
  CalibratedForecast forecasts;
  for (int k = 0; k < 3; ++k)
    forecasts.learn(usual, 0.2);
  const Spread longer = forecasts.of({.mean = 0.3, .deviation = 0, .from = 0.29, .to = 0.31});
  EXPECT_NEAR(longer.mean, 0.4, 0.01) << "as much more";
  const Spread shorter = forecasts.of({.mean = 0.05, .deviation = 0, .from = 0.049, .to = 0.051});
  EXPECT_NEAR(shorter.mean, 0.1, 0.01) << "as much more in proportion";
  EXPECT_GT(shorter.to - shorter.from, 0.02) << "and not as sure as the prediction";
}

TEST(CalibratedForecast, takes_no_time_below_nothing) {
  CalibratedForecast forecasts;
  for (int k = 0; k < 100; ++k)
    forecasts.learn(usual, 0.001 * k / 100);
  const Spread spread = forecasts.of({.mean = 0.07, .deviation = 0, .from = 0.07, .to = 0.07});
  EXPECT_GE(spread.from, 0);
  EXPECT_GE(spread.mean, 0);
  EXPECT_GE(spread.to, spread.from);
}

}  // namespace
}  // namespace lbsp::model::superstep
