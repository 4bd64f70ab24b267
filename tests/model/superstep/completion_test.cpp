#include "model/superstep/completion.hpp"

#include <cmath>
#include <stdexcept>

#include "gtest/gtest.h"

namespace lbsp::model::superstep {
namespace {

// Two parts: both may be there from 1 s on, one of them is so with 0.8, and for certain from 3 s on.
CompletionTime at_one_or_three() {
  CompletionSteps steps(0.01);
  steps.begin(0.5);
  steps.begin(1);
  steps.add(3, -std::log(0.8));
  return std::move(steps).finish();
}

TEST(Completion, is_when_the_last_part_begins_if_nothing_fails) {
  CompletionSteps steps(0.1);
  steps.begin(1.234);
  EXPECT_DOUBLE_EQ(std::move(steps).finish().mean(), 1.234);
}

TEST(Completion, averages_over_what_may_happen) {
  EXPECT_NEAR(at_one_or_three().mean(), 0.8 * 1 + 0.2 * 3, 1e-12);
}

TEST(Completion, has_the_quantiles_of_its_steps) {
  const CompletionTime time = at_one_or_three();
  EXPECT_DOUBLE_EQ(time.quantile(0.5), 1);
  EXPECT_DOUBLE_EQ(time.quantile(0.79), 1);
  EXPECT_DOUBLE_EQ(time.quantile(0.8), 1) << "so likely it is";
  EXPECT_NEAR(time.quantile(0.81), 3, 0.011);
  EXPECT_THROW(time.quantile(0), std::invalid_argument);
  EXPECT_THROW(time.quantile(1), std::invalid_argument);
}

TEST(Completion, has_the_probabilities_of_its_steps) {
  const CompletionTime time = at_one_or_three();
  EXPECT_EQ(time.probability_by(0.99), 0);
  EXPECT_NEAR(time.probability_by(1.5), 0.8, 1e-12);
  EXPECT_EQ(time.probability_by(4), 1);
}

TEST(Completion, keeps_the_place_of_a_step_between_the_lines_of_its_grid) {
  CompletionSteps steps(0.1);
  steps.begin(1);
  steps.add(2.037, 1e-6);
  EXPECT_NEAR(std::move(steps).finish().mean(), 1 + 1.037e-6, 1e-11);
}

}  // namespace
}  // namespace lbsp::model::superstep
