#include <chrono>
#include <gtest/gtest.h>

#include "tests/transport/queues/bound/queue_seen.hpp"
#include "transport/queues/bound/queue_bound.hpp"

namespace lbsp::transport {
namespace {

/// Where delays become longer at once by so much, for other reasons.
QueueSeen varying(double queue, double loss = 0.05, double by = 1e-3) {
  QueueSeen result = seen(queue, 0, loss);
  result.variation = by;
  return result;
}

TEST(QueueBoundWhereDelaysVary, begins_with_a_queue_that_is_long_for_three_rounds) {
  QueueBound bound;
  for (const double queue : {12e-3, 12e-3, 6e-3, 12e-3, 12e-3})
    EXPECT_FALSE(bound.judge(varying(queue), context()));
  EXPECT_TRUE(bound.judge(varying(12e-3), context()));
}

TEST(QueueBoundWhereDelaysVary, begins_at_once_with_a_very_long_queue_or_one_that_drops_much) {
  QueueBound bound;
  EXPECT_TRUE(bound.judge(varying(22e-3), context()));
  QueueBound another;
  EXPECT_FALSE(another.judge(varying(6e-3, 0.15), context()));
  EXPECT_TRUE(another.judge(varying(6e-3, 0.3), context()));
}

TEST(QueueBoundWhereDelaysVary, does_not_take_delays_that_became_longer_at_once_for_a_queue) {
  QueueBound bound;
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(bound.judge(varying(34e-3, 0.05, 25e-3), context()));
  EXPECT_TRUE(bound.judge(varying(46e-3, 0.05, 25e-3), context()));
}

TEST(QueueBoundWhereDelaysVary, stays_away_after_delays_have_jumped) {
  QueueBound bound;
  QueueSeen round = varying(30e-3);
  bound.judge(round, context());
  round.jump = 2e-3;
  EXPECT_TRUE(bound.judge(round, context()));
  EXPECT_FALSE(bound.rate());
  round.jump = 0;
  round.later_at += 9s;
  EXPECT_FALSE(bound.judge(round, context()));
  round.later_at += 2s;
  EXPECT_TRUE(bound.judge(round, context()));
}

}  // namespace
}  // namespace lbsp::transport
