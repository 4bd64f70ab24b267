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

}  // namespace
}  // namespace lbsp::model::superstep
