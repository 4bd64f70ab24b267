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

TEST(CalibratedForecast, begins_with_what_was_predicted) {
  const Spread first = CalibratedForecast().of(usual);
  EXPECT_NEAR(first.from, usual.from, 1e-6);
  EXPECT_NEAR(first.to, usual.to, 1e-6);
  EXPECT_NEAR(first.mean, usual.mean, 0.003);
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
  EXPECT_NEAR(CalibratedForecast().of(usual).to, usual.to, 1e-6) << "each run learns for itself";
}

TEST(CalibratedForecast, learns_of_supersteps_that_take_about_as_long) {
  CalibratedForecast forecasts;
  for (int k = 0; k < 100; ++k)
    forecasts.learn(usual, 0.2);
  const Spread longer{.mean = 10, .deviation = 0, .from = 9, .to = 12};
  EXPECT_NEAR(forecasts.of(longer).to, longer.to, 1e-6);
  EXPECT_NEAR(forecasts.of({.mean = 0.12, .deviation = 0, .from = 0.12, .to = 0.12}).to, 0.22, 1e-6);
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
