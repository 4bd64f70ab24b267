#include "transport/queues/bound/equal_steps.hpp"

#include <gtest/gtest.h>

#include "tests/transport/queues/bound/queue_seen.hpp"

namespace lbsp::transport {
namespace {

/// What part a rank keeps which has so much of a link of 100 Mbit/s, after so many queues, while `senders` add the same
/// as it does. `noise`: of the growth that it sees.
double part_kept(double megabits, double senders, int queues = 6, double noise = 0) {
  constexpr double step = 2;
  EqualSteps steps;
  for (int i = 0; i < queues; ++i) {
    steps.after(seen(0, 0, 0, megabits), true);
    const double sign = i % 2 == 0 ? 1 : -1;
    steps.end(seen(5e-3, senders * step / 100 + sign * noise, 0, megabits + step));
  }
  return steps.part_to_keep(megabits_per_second(megabits).value);
}

TEST(EqualSteps, of_one_who_is_alone_leave_all_of_it) {
  EXPECT_EQ(part_kept(100, 1), 1);
  EXPECT_EQ(part_kept(100, 1, 6, 0.008), 1) << "growth is measured with errors";
}

TEST(EqualSteps, of_two_leave_less_to_who_has_more_and_more_to_who_has_less) {
  EXPECT_LT(part_kept(80, 2), 0.9);
  EXPECT_GT(part_kept(80, 2), 0.5);
  EXPECT_EQ(part_kept(50, 2), 1);
  EXPECT_GT(part_kept(20, 2), 1.02);
  EXPECT_LE(part_kept(5, 2), 1.15);
}

/// Of one who is alone, on whose way to many others queues come and go.
TEST(EqualSteps, tell_nothing_where_growth_is_below_0_as_often_without_a_queue) {
  const auto kept = [](double chance) {
    EqualSteps steps;
    for (int i = 0; i < 4; ++i) {
      for (int round = 0; round < 6; ++round)
        steps.after(seen(0, round % 2 == 0 ? chance : -chance, 0, 50), true);
      steps.after(seen(0, 0, 0, 50), true);
      steps.end(seen(2e-3, 0.04, 0, 50.75));
    }
    return steps.part_to_keep(megabits_per_second(50).value);
  };
  EXPECT_LT(kept(0), 0.6);
  EXPECT_EQ(kept(0.03), 1);
}

TEST(EqualSteps, tell_nothing_after_one_queue) {
  EXPECT_EQ(part_kept(80, 4, 1), 1);
  EXPECT_LT(part_kept(80, 4, 2), 1);
}

TEST(EqualSteps, do_not_count_where_the_rank_paused) {
  EqualSteps steps;
  for (int i = 0; i < 6; ++i) {
    steps.after(seen(0, 0, 0, 80), false);
    steps.end(seen(5e-3, 0.08, 0, 82));
    steps.after(seen(0, 0, 0, 80), true);
    steps.begin_anew();
    steps.end(seen(5e-3, 0.08, 0, 82));
  }
  EXPECT_EQ(steps.part_to_keep(megabits_per_second(80).value), 1);
}

TEST(EqualSteps, are_the_same_for_everybody_and_become_longer) {
  EqualSteps slow;
  EqualSteps fast;
  double before = 0;
  for (int i = 0; i < 8; ++i) {
    const double of_slow = 20 * slow.after(seen(0, 0, 0, 20), true);
    const double of_fast = 60 * fast.after(seen(0, 0, 0, 60), true);
    if (of_slow < 5) {
      EXPECT_NEAR(of_slow, of_fast, 1e-9) << i;
    }
    EXPECT_GE(of_fast, before) << i;
    before = of_fast;
  }
  EXPECT_GT(before, 5);
  slow.end(seen(5e-3, 0.1, 0, 30));
  EXPECT_NEAR(20 * slow.after(seen(0, 0, 0, 20), true), 0.75, 1e-9);
}

}  // namespace
}  // namespace lbsp::transport
