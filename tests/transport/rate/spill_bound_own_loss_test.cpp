#include <gtest/gtest.h>
#include <utility>

#include "tests/transport/rate/bursts.hpp"
#include "transport/rate/spill_bound.hpp"

/// Whether a path's bound, or the path itself, is why bursts lose much.
namespace lbsp::transport {
namespace {

/// What is lost alike at a far lower rate is not lost because of the rate.
TEST(SpillBoundAndOwnLoss, the_bound_ends_where_a_far_lower_rate_loses_as_much) {
  Bursts path;
  path.bursts(2, 1000, 400);
  int rounds = 0;
  bool changed = false;
  for (; path.bounded() > 0 && rounds < 20; ++rounds)
    changed = path.burst(100, 40);
  EXPECT_EQ(rounds, 6);
  EXPECT_TRUE(changed) << "with the last one";
  EXPECT_FALSE(path.bursts(500, 1000, 400)) << "for a minute";
  EXPECT_TRUE(path.bursts(150, 1000, 400));
}

/// What goes in bursts of a few datagrams becomes far less only long after its bound has.
TEST(SpillBoundAndOwnLoss, the_bound_does_not_end_before_far_less_is_sent) {
  Bursts path;
  path.bursts(2, 100, 40);
  path.bursts(20, 20, 8);
  EXPECT_GT(path.bounded(), 0);
  path.bursts(2, 10, 4);
  EXPECT_EQ(path.bounded(), 0);
}

/// A single flood, before others that had nothing to do with it.
TEST(SpillBoundAndOwnLoss, are_not_told_by_what_was_sent_before_all_arrived) {
  Bursts path;
  path.burst(1000, 400);
  path.burst(1000, 1000);
  path.bursts(2, 100, 40);
  path.bursts(20, 20, 8);
  EXPECT_GT(path.bounded(), 0) << "a fifth of a hundred is not far less";
}

TEST(SpillBoundAndOwnLoss, are_not_told_by_what_was_lost_before_all_arrived) {
  Bursts path;
  path.burst(1000, 100);
  path.burst(1000, 1000);
  path.bursts(2, 1000, 400);
  path.bursts(6, 100, 40);
  EXPECT_EQ(path.bounded(), 0) << "as much is lost";
}

/// Of a policer that drops 98 of a hundred and at a lower rate 85, the bound was believed to do no good.
TEST(SpillBoundAndOwnLoss, the_bound_stays_where_a_far_larger_part_arrives_at_a_lower_rate) {
  for (const auto& [of_thousand, of_hundred] : {std::pair{100U, 40U}, {20U, 15U}}) {
    Bursts path;
    path.bursts(2, 1000, of_thousand);
    for (int i = 0; i < 20; ++i) {
      path.burst(100, of_hundred);
      EXPECT_GT(path.bounded(), 0) << of_thousand << " of 1000";
    }
  }
}

TEST(SpillBoundAndOwnLoss, the_bound_returns_at_once_if_far_more_is_lost_again) {
  Bursts path;
  path.bursts(2, 1000, 400);
  path.bursts(6, 100, 40);
  ASSERT_EQ(path.bounded(), 0);
  EXPECT_FALSE(path.bursts(2, 1000, 250)) << "half of what arrived before does";
  EXPECT_TRUE(path.bursts(2, 1000, 150));
}

/// A round that arrives in between says that the others were chance.
TEST(SpillBoundAndOwnLoss, no_loss_is_the_paths_own_that_was_not_there_in_each_round) {
  Bursts path;
  path.bursts(2, 100, 40);
  for (int i = 0; i < 4; ++i) {
    path.bursts(5, 10, 4);
    path.burst(10, 10);
    EXPECT_GT(path.bounded(), 0);
  }
}

}  // namespace
}  // namespace lbsp::transport
