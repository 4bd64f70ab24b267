#include <chrono>
#include <gtest/gtest.h>

#include "tests/transport/queue_seen.hpp"
#include "transport/rate/queue_bound.hpp"

namespace lbsp::transport {
namespace {

QueueBound::Context told() {
  QueueBound::Context context = transport::context();
  context.told = true;
  context.most = megabits_per_second(50);
  return context;
}

TEST(QueueBoundOfToldRate, begins_with_a_queue_that_is_long_for_three_rounds) {
  QueueBound bound;
  for (const double queue : {11e-3, 11e-3, 6e-3, 11e-3, 11e-3})
    EXPECT_FALSE(bound.judge(seen(queue, 0), told()));
  EXPECT_TRUE(bound.judge(seen(11e-3, 0), told()));
}

TEST(QueueBoundOfToldRate, begins_at_once_with_a_very_long_queue_or_one_that_drops_much) {
  QueueBound bound;
  EXPECT_TRUE(bound.judge(seen(21e-3, 0), told()));
  QueueBound another;
  EXPECT_FALSE(another.judge(seen(6e-3, 0, 0.15), told()));
  EXPECT_TRUE(another.judge(seen(6e-3, 0, 0.3), told()));
}

TEST(QueueBoundOfToldRate, does_not_take_delays_that_became_longer_at_once_for_a_queue) {
  QueueSeen varying = seen(34e-3, 0);
  varying.variation = 25e-3;
  QueueBound bound;
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(bound.judge(varying, told()));
  varying.queue = 46e-3;
  EXPECT_TRUE(bound.judge(varying, told()));
}

TEST(QueueBoundOfToldRate, stays_away_after_delays_have_jumped) {
  QueueBound bound;
  QueueSeen round = seen(30e-3, 0);
  bound.judge(round, told());
  round.jump = 2e-3;
  EXPECT_TRUE(bound.judge(round, told()));
  EXPECT_FALSE(bound.rate());
  round.jump = 0;
  round.later_at += 9s;
  EXPECT_FALSE(bound.judge(round, told()));
  round.later_at += 2s;
  EXPECT_TRUE(bound.judge(round, told()));
}

}  // namespace
}  // namespace lbsp::transport
