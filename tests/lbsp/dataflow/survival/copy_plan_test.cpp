#include "lbsp/dataflow/survival/copy_plan.hpp"

#include <gtest/gtest.h>

namespace lbsp::dataflow::survival {
namespace {

constexpr Ticks second = 1'000'000'000;

/// After so many of a thousand levels copies are made.
int copied(CopyPlan plan, const CopyPlan::Level& like) {
  int count = 0;
  for (std::size_t level = 0; level < 1000; ++level) {
    CopyPlan::Level each = like;
    each.number = level;
    count += plan.copies(each) ? 1 : 0;
  }
  return count;
}

TEST(CopyPlan, does_what_it_is_told) {
  const CopyPlan::Level level{.takes = second, .copies_take = second, .bytes = 100};
  EXPECT_EQ(copied({0, {}}, level), 0);
  EXPECT_EQ(copied({5, {}}, level), 200);
  EXPECT_FALSE(CopyPlan(5, {}).copies({.number = 3}));
  EXPECT_TRUE(CopyPlan(5, {}).copies({.number = 4}));
}

TEST(CopyPlan, copies_as_often_as_is_best_by_the_mean_time_between_failures) {
  // sqrt(2 · 0.2 s · 1000 s) = 20 s of work
  const CopyPlan::Level level{.takes = second / 10, .copies_take = second / 5};
  EXPECT_EQ(copied({CopyPlan::planned, {.between_failures = 1000 * second}}, level), 5);
  EXPECT_EQ(copied({CopyPlan::planned, {.between_failures = 10 * second}}, level), 50);
  EXPECT_EQ(copied({CopyPlan::planned, {}}, level), 0);
}

TEST(CopyPlan, copies_before_more_is_written_than_a_worker_keeps) {
  const CopyPlan::Level level{.takes = 1, .copies_take = 1, .bytes = 10};
  EXPECT_EQ(copied({CopyPlan::planned, {.most_bytes = 100}}, level), 100);
}

TEST(CopyPlan, waits_for_a_level_that_writes_something) {
  EXPECT_EQ(copied({CopyPlan::planned, {.between_failures = 1}}, {.takes = second}), 0);
}

}  // namespace
}  // namespace lbsp::dataflow::survival
