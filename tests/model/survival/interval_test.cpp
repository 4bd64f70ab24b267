#include "model/survival/interval.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>

namespace lbsp::model::survival {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Where time_lost() is least: it falls, then rises.
double least_at(const Saving& saving, double restart) {
  double low = 1e-9;
  double high = 100 * saving.between_failures;
  for (int step = 0; step < 300; ++step) {
    const double left = low + (high - low) / 3;
    const double right = high - (high - low) / 3;
    (time_lost(saving, left, restart) < time_lost(saving, right, restart) ? high : low) =
        time_lost(saving, left, restart) < time_lost(saving, right, restart) ? right : left;
  }
  return low;
}

TEST(Interval, is_youngs_where_failures_are_rare) {
  const Saving saving{.cost = 0.01, .between_failures = 86400};
  EXPECT_NEAR(best_interval(saving) / std::sqrt(2 * 0.01 * 86400), 1, 1e-3);
}

TEST(Interval, is_near_the_least_time_of_the_complete_model) {
  for (const double cost : {1e-4, 0.01, 1.0, 60.0})
    for (const double mean : {2 * cost, 10 * cost, 100 * cost, 1e4 * cost}) {
      const Saving saving{cost, mean};
      const double best = least_at(saving, 0);
      EXPECT_NEAR(best_interval(saving) / best, 1, mean < 10 * cost ? 0.35 : 0.03) << cost << " " << mean;
      EXPECT_LT(time_lost(saving, best_interval(saving), 0), 1.05 * time_lost(saving, best, 0) + 1e-9);
    }
}

TEST(Interval, grows_with_the_cost_and_with_the_time_between_failures) {
  double before = 0;
  for (double cost = 1e-6; cost < 100; cost *= 2) {
    const double now = best_interval({cost, 1000});
    EXPECT_GT(now, before) << cost;
    before = now;
  }
  before = 0;
  for (double mean = 1; mean < 1e9; mean *= 2) {
    const double now = best_interval({0.05, mean});
    EXPECT_GT(now, before) << mean;
    before = now;
  }
}

TEST(Interval, has_the_limits_that_it_must_have) {
  EXPECT_EQ(best_interval({0, 1000}), 0) << "what costs nothing is done all the time";
  EXPECT_EQ(best_interval({1, infinity}), infinity) << "nothing fails, and nothing is saved";
  EXPECT_EQ(best_interval({50, 10}), 10) << "saving takes longer than there is";
  EXPECT_NEAR(best_interval({1e-9, 1e-3}), std::sqrt(2e-12), 1e-8);
  EXPECT_TRUE(std::isfinite(best_interval({1e300, 1e-300})));
}

TEST(TimeLost, is_the_cost_alone_where_nothing_fails) {
  EXPECT_DOUBLE_EQ(time_lost({0.5, infinity}, 10, 3), 0.05);
  EXPECT_NEAR(time_lost({0.5, 1e12}, 10, 3), 0.05, 1e-6);
}

TEST(TimeLost, is_half_of_the_interval_and_the_restart_for_each_failure) {
  EXPECT_NEAR(time_lost({0, 1e6}, 100, 20), (100 / 2.0 + 20) / 1e6, 1e-8);
}

TEST(TimeLost, grows_with_whatever_costs_time) {
  EXPECT_LT(time_lost({0.1, 1000}, 10, 1), time_lost({0.2, 1000}, 10, 1));
  EXPECT_LT(time_lost({0.1, 1000}, 10, 1), time_lost({0.1, 500}, 10, 1));
  EXPECT_LT(time_lost({0.1, 1000}, 10, 1), time_lost({0.1, 1000}, 10, 2));
}

TEST(Interval, of_what_cannot_be_is_refused) {
  EXPECT_THROW(best_interval({-1, 10}), std::invalid_argument);
  EXPECT_THROW(best_interval({std::nan(""), 10}), std::invalid_argument);
  EXPECT_THROW(best_interval({1, 0}), std::invalid_argument);
  EXPECT_THROW(best_interval({1, std::nan("")}), std::invalid_argument);
  EXPECT_THROW(time_lost({1, 10}, 0, 0), std::invalid_argument);
  EXPECT_THROW(time_lost({1, 10}, 1, -1), std::invalid_argument);
}

}  // namespace
}  // namespace lbsp::model::survival
