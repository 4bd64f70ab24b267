#include <chrono>
#include <gtest/gtest.h>

#include "tests/transport/queues/bound/queue_seen.hpp"
#include "transport/paths/recent_most.hpp"
#include "transport/queues/bound/queue_bound.hpp"

/// When a bound finds that what looked like a queue is delays that vary.
namespace lbsp::transport {
namespace {

QueueSeen jumping(double queue, double rate, double jump = 2e-3) {
  QueueSeen result = seen(queue, 0, 0.05, rate);
  result.jump = jump;
  return result;
}

TEST(QueueDoubt, ends_a_bound_whose_low_rate_makes_a_long_queue_no_shorter) {
  QueueBound bound;
  bound.judge(seen(49e-3, 0), context());
  ASSERT_TRUE(bound.rate());
  bound.judge(jumping(49e-3, 26), context());
  EXPECT_TRUE(bound.rate()) << "longer than the round trip, and not half of what came through";
  EXPECT_TRUE(bound.judge(jumping(49e-3, 24), context()));
  EXPECT_FALSE(bound.rate());
}

TEST(QueueDoubt, measures_jumps_by_what_came_through_rather_than_by_a_low_bound) {
  QueueBound bound;
  bound.judge(seen(49e-3, 0), context());
  for (int round = 0; round < 3; ++round)
    bound.judge(jumping(10e-3, 1, 0.6e-3), context());
  EXPECT_TRUE(bound.rate());
  for (int round = 0; round < 3; ++round)
    bound.judge(jumping(10e-3, 1, 0.7e-3), context());
  EXPECT_FALSE(bound.rate()) << "two datagrams take 0.45 ms of a link that carried 50 Mbit/s";
}

/// At 20 Mbit/s 0.56 ms pass between two datagrams, and others send bursts meanwhile.
TEST(QueueDoubt, does_not_end_a_bound_for_the_bursts_of_others_in_a_queue) {
  const auto stays = [](double queue, double rate, double jump, bool varying = false, double longest = 0) {
    QueueBound bound;
    QueueSeen first = seen(49e-3, 0);
    first.variation = varying ? 2.5e-3 : 0;
    bound.judge(first, context());
    EXPECT_TRUE(bound.rate());
    QueueSeen bursts = jumping(queue, rate, jump);
    bursts.longest = longest;
    bursts.variation = first.variation;
    for (int round = 0; round < 3; ++round)
      bound.judge(bursts, context());
    return bound.rate().has_value();
  };
  EXPECT_TRUE(stays(10e-3, 20, 1.1e-3));
  EXPECT_FALSE(stays(10e-3, 20, 1.2e-3)) << "longer than two datagrams take to follow each other";
  EXPECT_FALSE(stays(3e-3, 20, 1.1e-3)) << "no queue that is longer than what changes it";
  EXPECT_FALSE(stays(10e-3, 12, 1.1e-3)) << "a quarter of what came through makes it no shorter";
  EXPECT_FALSE(stays(10e-3, 20, 1.1e-3, true));
  EXPECT_TRUE(stays(10e-3, 20, 1.1e-3, false, 12.4e-3));
  EXPECT_FALSE(stays(10e-3, 20, 1.1e-3, false, 12.6e-3)) << "a queue is about as long for all";
}

TEST(QueueDoubt, lasts_ten_seconds_and_longer_each_time_up_to_a_minute) {
  QueueBound bound;
  QueueSeen queue = seen(30e-3, 0);
  queue.later_at = start;
  for (const Duration doubt : {10s, 20s, 40s, 60s, 60s}) {
    bound.judge(queue, context());
    ASSERT_TRUE(bound.rate()) << seconds(doubt);
    queue.jump = 2e-3;
    bound.judge(queue, context());
    ASSERT_FALSE(bound.rate()) << seconds(doubt);
    queue.jump = 0;
    queue.later_at += doubt - 1ms;
    EXPECT_FALSE(bound.judge(queue, context())) << seconds(doubt);
    queue.later_at += 1ms;
  }
}

TEST(QueueDoubt, is_over_when_a_third_is_lost) {
  QueueBound bound;
  bound.judge(seen(30e-3, 0), context());
  bound.judge(jumping(30e-3, 50), context());
  EXPECT_FALSE(bound.judge(seen(30e-3, 0, 0.35), context()));
  EXPECT_TRUE(bound.judge(seen(30e-3, 0, 0.36), context()));
}

/// Where losses come in runs, a round of eight often loses half by chance.
TEST(QueueDoubt, takes_few_datagrams_for_chance) {
  QueueBound bound;
  bound.judge(seen(30e-3, 0), context());
  bound.judge(jumping(30e-3, 50), context());
  QueueSeen few = seen(30e-3, 0, 0.5);
  few.datagrams = 8;
  for (int round = 0; round < 6; ++round)
    EXPECT_FALSE(bound.judge(few, context())) << round;
  EXPECT_TRUE(bound.judge(few, context())) << "of 56";
}

TEST(RecentMost, is_of_the_last_ten_to_twenty_seconds) {
  RecentMost most;
  EXPECT_EQ(most.value(), 0);
  most.add(3, start);
  most.add(2, start + 10s);
  EXPECT_EQ(most.value(), 3);
  most.add(1, start + 21s);
  EXPECT_EQ(most.value(), 2);
  most.add(1, start + 32s);
  EXPECT_EQ(most.value(), 1);
}

}  // namespace
}  // namespace lbsp::transport
