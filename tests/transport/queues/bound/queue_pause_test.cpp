#include <chrono>
#include <gtest/gtest.h>

#include "tests/transport/queues/bound/queue_seen.hpp"
#include "transport/queues/bound/queue_bound.hpp"

/// What becomes of a bound in pauses, as between supersteps.
namespace lbsp::transport {
namespace {

TEST(QueueBound, is_after_a_pause_what_came_through_before) {
  QueueBound bound;
  bound.sent(datagram_bytes, megabits_per_second(100), start);
  bound.judge(seen(40e-3, 0.25), context());
  EXPECT_LT(megabits(bound), 36) << "what stands has to leave";
  EXPECT_FALSE(bound.sent(datagram_bytes, megabits_per_second(100), start + 10ms));
  EXPECT_TRUE(bound.sent(datagram_bytes, megabits_per_second(100), start + 60ms));
  EXPECT_NEAR(megabits(bound), 40, 0.1);
}

TEST(QueueBound, is_forgotten_when_delays_begin_to_jump) {
  QueueBound bound;
  bound.sent(datagram_bytes, megabits_per_second(100), start);
  bound.judge(seen(10e-3, 0.25), context());
  QueueSeen jumping = seen(10e-3, 0.25);
  jumping.jump = 2e-3;
  EXPECT_TRUE(bound.judge(jumping, context()));
  EXPECT_FALSE(bound.rate());
  EXPECT_FALSE(bound.judge(jumping, context())) << "there was none";
  EXPECT_FALSE(bound.sent(datagram_bytes, megabits_per_second(100), start + 60ms));
}

TEST(QueueBound, is_after_a_pause_the_mean_of_the_last_burst) {
  QueueBound bound;
  bound.sent(datagram_bytes, megabits_per_second(100), start);
  bound.judge(seen(10e-3, 0.25), context());
  bound.sent(datagram_bytes, megabits_per_second(100), start + 60ms);
  bound.judge(seen(10e-3, 1), context());
  bound.judge(seen(10e-3, 0.25), context());
  EXPECT_TRUE(bound.sent(datagram_bytes, megabits_per_second(100), start + 120ms));
  EXPECT_NEAR(megabits(bound), 29.5, 1e-9) << "25, and 0.3 of the way to 40";
  EXPECT_TRUE(bound.sent(datagram_bytes, megabits_per_second(29), start + 180ms));
  EXPECT_FALSE(bound.rate()) << "no more than that goes anyway";
}

TEST(QueueBound, takes_nothing_for_a_pause_that_is_short_or_ends_with_a_small_datagram) {
  QueueBound bound;
  bound.sent(datagram_bytes, megabits_per_second(100), start);
  bound.judge(seen(40e-3, 0.25), context());
  ASSERT_EQ(bound.pause(40ms), 20ms);
  EXPECT_FALSE(bound.sent(datagram_bytes, megabits_per_second(100), start + 20ms));
  EXPECT_FALSE(bound.sent(datagram_bytes / 2 - 1, megabits_per_second(100), start + 41ms));
  EXPECT_TRUE(bound.sent(datagram_bytes / 2, megabits_per_second(100), start + 42ms));
}

/// What came through before one pause, after the next one.
double megabits_after_burst_of(int datagrams, double rate = 50) {
  QueueBound bound;
  QueueSeen standing = seen(10e-3, 0);
  standing.rate = megabits_per_second(rate).value;
  QueueBound::Context fast = context();
  fast.most = megabits_per_second(2000);
  bound.judge(standing, fast);
  Instant now = start;
  for (int i = 0; i < datagrams; ++i)
    bound.sent(datagram_bytes, fast.most, now += 1ms);
  bound.sent(datagram_bytes, fast.most, now += 60ms);
  return bound.sent(datagram_bytes, fast.most, now += 60ms) ? megabits(bound) : 0;
}

TEST(QueueBound, is_higher_by_a_quarter_after_each_burst_of_sixteen_datagrams_that_met_no_queue) {
  EXPECT_NEAR(megabits_after_burst_of(15), 50, 1e-9);
  EXPECT_NEAR(megabits_after_burst_of(16), 62.5, 1e-9);
  EXPECT_NEAR(megabits_after_burst_of(16, 800), 1000, 1e-9);
  EXPECT_EQ(megabits_after_burst_of(16, 900), 0) << "no rate that is found is higher than 1000";
}

}  // namespace
}  // namespace lbsp::transport
