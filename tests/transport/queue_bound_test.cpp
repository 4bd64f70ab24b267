#include "transport/core/queue_bound.hpp"

#include <chrono>
#include <gtest/gtest.h>

#include "transport/core/queue_round.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr Instant start{1s};
constexpr std::size_t datagram_bytes = 1400;

QueueBound::Context context() {
  return {.round_trip = 40ms,
          .datagram_bytes = datagram_bytes,
          .most = megabits_per_second(100),
          .usual_loss = 0.05,
          .may_begin = true,
          .alone = true};
}

/// Of half a round trip at 50 Mbit/s.
QueueSeen seen(double queue, double growth, double loss = 0.05) {
  QueueSeen result;
  result.queue = queue;
  result.growth = growth;
  result.loss = loss;
  result.rate = megabits_per_second(50).value;
  result.datagrams = 90;
  return result;
}

double megabits(const QueueBound& bound) {
  return bound.rate() ? bound.rate()->value * 8e-6 : 0;
}

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

TEST(QueueBound, is_after_a_pause_what_came_through_before) {
  QueueBound bound;
  bound.sent(datagram_bytes, megabits_per_second(100), start);
  bound.judge(seen(40e-3, 0.25), context());
  EXPECT_LT(megabits(bound), 36) << "what stands has to leave";
  EXPECT_FALSE(bound.sent(datagram_bytes, megabits_per_second(100), start + 10ms));
  EXPECT_TRUE(bound.sent(datagram_bytes, megabits_per_second(100), start + 60ms));
  EXPECT_NEAR(megabits(bound), 40, 0.1);
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
  EXPECT_FALSE(begins(2.9e-3, 10ms, 50));
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
  EXPECT_FALSE(begins(19e-3, 10ms, 0.05, 2e-3));
  EXPECT_TRUE(begins(21e-3, 10ms, 0.05, 2e-3)) << "longer than 20 ms";
  EXPECT_FALSE(begins(10e-3, 40ms, 0.34, 2e-3));
  EXPECT_TRUE(begins(10e-3, 40ms, 0.36, 2e-3));
  EXPECT_TRUE(begins(30e-3, 40ms, 0.05, 11e-3, 1)) << "a datagram takes 11.2 ms";
  EXPECT_FALSE(begins(30e-3, 40ms, 0.05, 12e-3, 1));
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
    QueueSeen gone = seen(0.9e-3, growth);
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
}

TEST(QueueBound, lets_two_datagrams_go_in_the_round_trip_and_a_quarter_of_the_queue) {
  QueueBound bound;
  QueueSeen slow = seen(400e-3, 3);
  slow.rate = megabits_per_second(0.1).value;
  bound.judge(slow, context());
  EXPECT_NEAR(megabits(bound), 0.16, 1e-9);
  EXPECT_EQ(bound.pause(), 280ms) << "four datagrams";
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
  ASSERT_EQ(bound.pause(), 20ms);
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
  EXPECT_NEAR(megabits_after_burst_of(16, 700), 875, 1e-9);
  EXPECT_EQ(megabits_after_burst_of(16, 900), 0) << "no rate that is found is higher than 1000";
}

}  // namespace
}  // namespace lbsp::transport
