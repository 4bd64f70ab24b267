#include "model/superstep/completion.hpp"

#include <cmath>

#include "gtest/gtest.h"

namespace lbsp::model::superstep {
namespace {

TEST(Completion, is_when_the_last_part_begins_if_nothing_fails) {
  CompletionTime time(0.1);
  time.begin(1.234);
  EXPECT_DOUBLE_EQ(time.mean(), 1.234);
}

// Two parts: both may be there from 1 s on, one of them is so with 0.8, and for certain from 3 s on.
TEST(Completion, averages_over_what_may_happen) {
  CompletionTime time(0.01);
  time.begin(0.5);
  time.begin(1);
  time.add(3, -std::log(0.8));
  EXPECT_NEAR(time.mean(), 0.8 * 1 + 0.2 * 3, 1e-12);
}

TEST(Completion, varies_as_much_as_what_may_happen) {
  CompletionTime time(0.01);
  time.begin(1);
  time.add(3, -std::log(0.8));
  const Spread spread = time.spread(0.9);
  EXPECT_NEAR(spread.mean, time.mean(), 1e-12);
  EXPECT_NEAR(spread.deviation, 2 * std::sqrt(0.8 * 0.2), 1e-3);
  EXPECT_EQ(spread.from, 1);
  EXPECT_NEAR(spread.to, 3, 0.005);
  // A fourth is outside on either side, and only a fifth of all take 3 s.
  EXPECT_EQ(time.spread(0.5).to, 1);
  EXPECT_EQ(time.spread(0).from, time.spread(0).to);
}

TEST(Completion, finds_a_quantile_between_the_lines_of_its_grid) {
  CompletionTime time(0.1);
  time.begin(1);
  time.add(2.037, 0.02);
  const double in_the_middle = 1 - std::exp(-0.01);
  EXPECT_NEAR(time.spread(1 - 2 * in_the_middle).to, 2.037, 0.002);
  EXPECT_EQ(time.spread(1 - 2 * in_the_middle).from, 1);
}

TEST(Completion, of_which_nothing_can_fail_does_not_vary) {
  CompletionTime time(0.1);
  time.begin(1.234);
  const Spread spread = time.spread(0.9);
  EXPECT_EQ(spread.from, 1.234);
  EXPECT_EQ(spread.to, 1.234);
  EXPECT_EQ(spread.deviation, 0);
}

// Ten independent parts: each is there by 1 s with 0.8, by 2 s with 0.95, and by 5 s for certain.
TEST(Completion, holds_the_share_asked_for_between_its_quantiles) {
  CompletionTime time(0.001);
  time.begin(1);
  for (int part = 0; part < 10; ++part) {
    time.add(2, std::log(0.95) - std::log(0.8));
    time.add(5, -std::log(0.95));
  }
  const double by_one = std::pow(0.8, 10);
  const double by_two = std::pow(0.95, 10);
  EXPECT_NEAR(time.spread(1 - 2 * by_one + 0.02).from, 1, 0.001);
  EXPECT_NEAR(time.spread(1 - 2 * by_one - 0.02).from, 2, 0.001);
  EXPECT_NEAR(time.spread(2 * by_two - 1 - 0.02).to, 2, 0.001);
  EXPECT_NEAR(time.spread(2 * by_two - 1 + 0.02).to, 5, 0.001);
}

TEST(Completion, counts_a_step_that_is_more_than_certain_once) {
  CompletionTime time(0.01);
  time.begin(1);
  time.add(2, 0.5);
  time.add(3, 1000);
  EXPECT_NEAR(time.mean(), 3, 1e-12);
}

TEST(Completion, keeps_the_place_of_a_step_between_the_lines_of_its_grid) {
  CompletionTime time(0.1);
  time.begin(1);
  time.add(2.037, 1e-6);
  EXPECT_NEAR(time.mean(), 1 + 1.037e-6, 1e-11);
}

TEST(Completion, keeps_the_place_of_a_step_that_is_very_late) {
  CompletionTime time(0.001);
  time.begin(1);
  time.add(100.037, 1e-6);
  EXPECT_NEAR(time.mean(), 1 + 99.037e-6, 1e-10);
  time.add(2.0003, 1e-6);
  EXPECT_NEAR(time.mean(), 1 + 100.0373e-6, 1e-9);
}

}  // namespace
}  // namespace lbsp::model::superstep
