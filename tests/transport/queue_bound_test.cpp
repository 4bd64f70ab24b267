#include "transport/core/queue_bound.hpp"

#include <chrono>
#include <gtest/gtest.h>

#include "tests/transport/queue_seen.hpp"

namespace lbsp::transport {
namespace {

TEST(QueueBound, is_none_while_no_queue_stands) {
  QueueBound bound;
  EXPECT_FALSE(bound.judge(seen(2e-3, 0.5, 0.3), context()));
  EXPECT_FALSE(bound.rate());
}

TEST(QueueBound, follows_from_how_fast_a_queue_grows) {
  QueueBound bound;
  EXPECT_TRUE(bound.judge(seen(10e-3, 0.25), context()));
  EXPECT_NEAR(megabits(bound), 40, 2);
}

TEST(QueueBound, follows_from_what_is_lost_beyond_what_is_usual) {
  QueueBound bound;
  for (int i = 0; i < 100; ++i)
    bound.judge(seen(0, 0, 0.1), context());
  EXPECT_TRUE(bound.judge(seen(10e-3, 0, 0.1), context()));
  EXPECT_NEAR(megabits(bound), 50, 3);
  bound.judge(seen(10e-3, 0, 0.28), context());
  EXPECT_NEAR(megabits(bound), 40, 3);
}

TEST(QueueBound, does_not_begin_for_short_messages) {
  QueueBound bound;
  QueueBound::Context short_messages = context();
  short_messages.may_begin = false;
  EXPECT_FALSE(bound.judge(seen(10e-3, 0.25), short_messages));
}

TEST(QueueBound, does_not_take_delays_that_jump_for_a_queue) {
  QueueBound bound;
  QueueSeen jumping = seen(10e-3, 0.25);
  jumping.jump = 2e-3;
  EXPECT_FALSE(bound.judge(jumping, context()));
  jumping.loss = 0.5;
  EXPECT_TRUE(bound.judge(jumping, context())) << "no jitter loses that";
}

TEST(QueueBound, goes_when_no_queue_has_stood_for_some_rounds) {
  QueueBound bound;
  bound.judge(seen(10e-3, 0.25), context());
  int rounds = 0;
  for (; bound.rate() && rounds < 100; ++rounds) {
    QueueSeen empty = seen(0, 0);
    empty.rate = bound.rate()->value;
    bound.judge(empty, context());
  }
  EXPECT_GT(rounds, 3);
  EXPECT_LT(rounds, 15);
}

TEST(QueueBound, begins_where_a_queue_is_longer_than_3_ms_and_a_tenth_of_the_round_trip_and_two_datagrams) {
  const auto begins = [](double queue, Duration round_trip, double rate) {
    QueueBound bound;
    QueueBound::Context path = context();
    path.round_trip = round_trip;
    QueueSeen standing = seen(queue, 0);
    standing.rate = megabits_per_second(rate).value;
    return bound.judge(standing, path);
  };
  EXPECT_FALSE(begins(3e-3, 10ms, 50));
  EXPECT_TRUE(begins(3.1e-3, 10ms, 50));
  EXPECT_FALSE(begins(9.9e-3, 100ms, 50));
  EXPECT_TRUE(begins(10.1e-3, 100ms, 50));
  EXPECT_FALSE(begins(22e-3, 40ms, 1)) << "a datagram takes 11.2 ms";
  EXPECT_TRUE(begins(23e-3, 40ms, 1));
}

TEST(QueueBound, takes_a_queue_for_one_in_spite_of_jumps_if_it_is_long_or_loses_a_third) {
  const auto begins = [](double queue, Duration round_trip, double loss, double jump, double rate = 50) {
    QueueBound bound;
    QueueBound::Context path = context();
    path.round_trip = round_trip;
    QueueSeen jumping = seen(queue, 0, loss);
    jumping.jump = jump;
    jumping.rate = megabits_per_second(rate).value;
    return bound.judge(jumping, path);
  };
  EXPECT_FALSE(begins(47e-3, 40ms, 0.05, 2e-3));
  EXPECT_TRUE(begins(49e-3, 40ms, 0.05, 2e-3)) << "longer than the round trip";
  EXPECT_FALSE(begins(20e-3, 10ms, 0.05, 2e-3));
  EXPECT_TRUE(begins(21e-3, 10ms, 0.05, 2e-3)) << "longer than 20 ms";
  EXPECT_FALSE(begins(10e-3, 40ms, 0.35, 2e-3));
  EXPECT_TRUE(begins(10e-3, 40ms, 0.36, 2e-3));
  EXPECT_TRUE(begins(10e-3, 40ms, 0.05, 0.6e-3)) << "no more than 0.6 ms is no jump";
  EXPECT_TRUE(begins(30e-3, 40ms, 0.05, 11e-3, 1)) << "a datagram takes 11.2 ms";
  EXPECT_FALSE(begins(30e-3, 40ms, 0.05, 12e-3, 1));
}

/// Of 50 Mbit/s 40 came through, and 6 ms are to leave in four round trips: 3.5 % less, and a step of 2.2 %.
TEST(QueueBound, is_what_came_through_less_what_empties_the_queue_and_a_step_more) {
  QueueBound bound;
  bound.judge(seen(10e-3, 0.25), context());
  EXPECT_NEAR(megabits(bound), 39.485, 1e-3);
  bound.judge(seen(2.9e-3, 0.25), context());
  EXPECT_NEAR(megabits(bound), 41.167, 1e-3) << "it will stand soon";
}

TEST(QueueBound, counts_as_congestion_what_is_lost_beyond_the_loss_without_a_queue_and_two_percent) {
  QueueBound bound;
  bound.judge(seen(1.9e-3, 0, 0.1), context());
  bound.judge(seen(2.1e-3, 0, 0.4), context());  // is no loss without a queue
  bound.judge(seen(10e-3, 0, 0.3), context());
  // The own loss is 0.05 + (0.1 - 0.05) * 90 / 340.
  EXPECT_NEAR(megabits(bound), 37.869, 1e-3);
}

TEST(QueueBound, rises_by_more_with_each_round_without_a_queue) {
  QueueBound bound;
  bound.judge(seen(10e-3, 0.25), context());
  for (const double expected : {41.568, 43.710, 47.677, 53.891, 62.700}) {
    QueueSeen empty = seen(0, 0);
    empty.rate = bound.rate()->value;
    bound.judge(empty, context());
    EXPECT_NEAR(megabits(bound), expected, 1e-3);
  }
}

TEST(QueueBound, is_what_came_through_once_what_stood_has_left) {
  QueueBound bound;
  bound.judge(seen(40e-3, 0.25), context());
  ASSERT_NEAR(megabits(bound), 33.697, 1e-3);
  for (const double growth : {0.0, 0.5}) {
    QueueSeen gone = seen(growth > 0 ? 0.9e-3 : 1.9e-3, growth);
    gone.rate = megabits_per_second(33).value;
    bound.judge(gone, context());
    EXPECT_NEAR(megabits(bound), 40, 1e-9) << growth;
  }
}

TEST(QueueBound, does_not_rise_while_less_is_sent) {
  QueueBound bound;
  bound.judge(seen(10e-3, 0.25), context());
  const double before = megabits(bound);
  for (const double queue : {0.0, 3e-3}) {
    QueueSeen less = seen(queue, 0);
    less.rate = megabits_per_second(0.69 * before).value;
    EXPECT_FALSE(bound.judge(less, context())) << queue;
    EXPECT_EQ(megabits(bound), before);
  }
  QueueSeen used = seen(3e-3, 0);
  used.rate = megabits_per_second(0.99 * before).value;
  EXPECT_TRUE(bound.judge(used, context()));
  EXPECT_NEAR(megabits(bound), 40.424, 1e-3);
  used.rate = 0.7 * bound.rate()->value;
  EXPECT_TRUE(bound.judge(used, context())) << "falls to about what is used";
  EXPECT_LT(megabits(bound), 0.8 * before);
}

/// A queue of no more than what is tolerated does not stand, nor does a short one fill that grows slowly.
TEST(QueueBound, takes_what_came_through_only_from_queues_that_stand_or_fill) {
  const auto after = [](double queue, double growth) {
    QueueBound bound;
    QueueBound::Context path = context();
    path.round_trip = 10ms;
    bound.judge(seen(10e-3, 0), path);
    bound.judge(seen(queue, growth), path);
    return megabits(bound);
  };
  EXPECT_GT(after(3e-3, 0.07), 50);
  EXPECT_LT(after(3.1e-3, 0.07), 49);
  EXPECT_GT(after(2.9e-3, 0.08), 50);
  EXPECT_LT(after(2.9e-3, 0.09), 49);
  EXPECT_GT(after(0.75e-3, 0.3), 50);
  EXPECT_LT(after(0.8e-3, 0.3), 45);
}

TEST(QueueBound, learns_the_own_loss_and_rises_from_queues_of_less_than_half_of_what_is_tolerated) {
  QueueBound::Context path = context();
  path.round_trip = 10ms;
  QueueBound half;
  half.judge(seen(10e-3, 0), path);
  for (int i = 0; i < 3; ++i)
    half.judge(seen(1.5e-3, 0, 0.3), path);
  EXPECT_NEAR(megabits(half), 52.929, 1e-3) << "by as much each time";
  half.judge(seen(10e-3, 0, 0.3), path);
  EXPECT_LT(megabits(half), 40) << "that loss is of the queue";
}

TEST(QueueBound, rises_by_a_quarter_at_most) {
  QueueBound bound;
  QueueSeen slow = seen(23e-3, 0.25);
  slow.rate = megabits_per_second(1).value;
  bound.judge(slow, context());
  slow = seen(0, 0);
  for (int i = 0; i < 6; ++i) {
    const double before = megabits(bound);
    slow.rate = bound.rate()->value;
    bound.judge(slow, context());
    EXPECT_LT(megabits(bound), 1.5 * before);
  }
}

TEST(QueueBound, is_none_that_is_as_high_as_what_may_go_anyway) {
  QueueBound bound;
  bound.judge(seen(10e-3, 0.25), context());
  QueueBound::Context as_high = context();
  as_high.most = *bound.rate();
  QueueBound none;
  EXPECT_FALSE(none.judge(seen(10e-3, 0.25), as_high));
  EXPECT_FALSE(none.rate());

  bound.sent(datagram_bytes, megabits_per_second(40), start);
  EXPECT_FALSE(bound.rate()) << "40 came through";
}

TEST(QueueBound, lets_two_datagrams_go_in_the_round_trip_and_a_quarter_of_the_queue) {
  QueueBound bound;
  QueueSeen slow = seen(400e-3, 3);
  slow.rate = megabits_per_second(0.1).value;
  bound.judge(slow, context());
  EXPECT_NEAR(megabits(bound), 0.16, 1e-9);
  EXPECT_EQ(bound.pause(), 280ms) << "four datagrams";
  QueueBound::Context far = context();
  far.round_trip = 100ms;
  QueueBound fast;
  fast.judge(seen(50e-3, 0), far);
  EXPECT_EQ(fast.pause(), 50ms) << "half a round trip";
}

}  // namespace
}  // namespace lbsp::transport
