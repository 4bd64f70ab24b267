#include <chrono>
#include <gtest/gtest.h>

#include "tests/transport/queues/bound/queue_seen.hpp"
#include "transport/queues/bound/queue_bound.hpp"

/// Which queues make a bound, and when it goes.
namespace lbsp::transport {
namespace {

TEST(QueueBound, is_none_while_no_queue_stands) {
  QueueBound bound;
  EXPECT_FALSE(bound.judge(seen(2e-3, 0.5, 0.3), context()));
  EXPECT_FALSE(bound.rate());
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

TEST(QueueBound, of_a_short_queue_that_drops_much_begins_and_leaves_half_of_it) {
  const auto bounded = [](double queue, double loss, bool varying) {
    QueueBound bound;
    QueueBound::Context path = context();
    path.may_begin = false;  // as on a short path
    path.round_trip = 40ms;
    QueueSeen round = seen(queue, 0, loss);
    round.variation = varying ? 2e-3 : 0;
    return bound.judge(round, path);
  };
  EXPECT_TRUE(bounded(3.5e-3, 0.5, false));
  EXPECT_FALSE(bounded(3.5e-3, 0.2, false)) << "that may be the path's own";
  EXPECT_FALSE(bounded(0.9e-3, 0.5, false)) << "that is no queue";
  EXPECT_FALSE(bounded(3.5e-3, 0.5, true));
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
  EXPECT_GT(rounds, 7);
  EXPECT_LT(rounds, 15);
}

TEST(QueueBound, begins_where_a_queue_is_longer_than_3_ms_and_a_tenth_of_the_round_trip_and_some_datagrams) {
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
  EXPECT_FALSE(begins(33e-3, 40ms, 1)) << "a datagram takes 11.2 ms";
  EXPECT_TRUE(begins(34e-3, 40ms, 1));
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
  EXPECT_TRUE(begins(35e-3, 40ms, 0.05, 22e-3, 1)) << "a datagram takes 11.2 ms";
  EXPECT_FALSE(begins(35e-3, 40ms, 0.05, 23e-3, 1));
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

}  // namespace
}  // namespace lbsp::transport
