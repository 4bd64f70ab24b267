#include "transport/core/queue_bound.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <optional>

#include "transport/core/common_queue.hpp"
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

QueueSample sample(Rank peer, Duration since, Duration sent_at, Duration queue) {
  QueueSample result;
  result.peer = peer;
  result.since = start + since;
  result.sent_at = start + sent_at;
  result.queue = queue;
  result.datagrams = 4;
  result.arrived = 3;
  result.bytes = 4 * datagram_bytes;
  result.bytes_so_far = static_cast<std::uint64_t>(sent_at / 1us) * 10;  // 10 MB/s
  return result;
}

TEST(QueueRound, is_of_two_quarters_of_a_round_trip) {
  QueueRound round;
  std::optional<QueueSeen> seen;
  for (int i = 0; !seen && i < 20; ++i)
    seen = round.add(sample(i % 2, (i - 1) * 2ms, i * 2ms, i * 1ms), 40ms, start + 100ms);
  ASSERT_TRUE(seen);
  EXPECT_NEAR(seen->rate, 10e6, 1e4);
  EXPECT_NEAR(seen->growth, 0.5, 0.01);
  EXPECT_NEAR(seen->loss, 0.25, 0.01);
  EXPECT_NEAR(seen->queue, 6e-3, 1e-9) << "the least of the later quarter";
  EXPECT_TRUE(seen->several);
  EXPECT_FALSE(round.add(sample(0, 80ms, 90ms, 1ms), 40ms, start + 200ms)) << "sent before the last decision";
}

TEST(QueueRound, of_one_peer_is_not_of_several) {
  QueueRound round;
  std::optional<QueueSeen> seen;
  for (int i = 0; !seen && i < 20; ++i)
    seen = round.add(sample(1, (i - 1) * 2ms, i * 2ms, 1ms), 40ms, start + 100ms);
  ASSERT_TRUE(seen);
  EXPECT_FALSE(seen->several);
}

TEST(CommonQueue, knows_what_others_have_met) {
  CommonQueue queues;
  EXPECT_FALSE(queues.beside(1, start));
  queues.add(1, start, 5ms);
  EXPECT_FALSE(queues.beside(1, start)) << "that was its own";
  EXPECT_EQ(queues.beside(2, start), 5ms);
  queues.add(2, start, 20ms);
  queues.add(3, start, 9ms);
  EXPECT_EQ(queues.beside(1, start), 9ms);
  EXPECT_EQ(queues.beside(2, start), 5ms);
  queues.add(2, start, 1ms);
  EXPECT_EQ(queues.beside(1, start), 1ms);
  EXPECT_EQ(queues.beside(2, start), 5ms);
  EXPECT_FALSE(queues.beside(2, start + 100ms));
  EXPECT_FALSE(queues.beside(2, start + 1024ms)) << "the same slot, long after";
}

}  // namespace
}  // namespace lbsp::transport
