#include "transport/queues/queue_round.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <optional>
#include <utility>

#include "tests/transport/queues/queue_sample.hpp"
#include "transport/queues/bound/rank_bound.hpp"
#include "transport/queues/common_queue.hpp"

/// Of which queue a rank's bound is: what echoes tell, round by round, of all paths.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

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

TEST(QueueRound, is_not_sure_that_a_queue_grows_of_which_one_datagram_tells) {
  QueueRound round;
  std::optional<QueueSeen> seen;
  for (int i = 0; !seen && i < 20; ++i)
    seen =
        round.add(sample(i % 2, (i - 1) * 2ms, i * 2ms, i == 10 || i == 11 ? 8ms : 1ms), 40ms, start + 100ms);
  ASSERT_TRUE(seen);
  EXPECT_GT(seen->growth, 0.2);
  EXPECT_NEAR(seen->sure_growth, 0, 1e-9);
}

TEST(QueueRound, has_a_rate_where_another_rank_of_the_host_has_counted_what_it_sent_later) {
  QueueRound round;
  std::optional<QueueSeen> seen;
  for (int i = 0; !seen && i < 20; ++i) {
    QueueSample told = sample(i % 2, (i - 1) * 2ms, i * 2ms, 1ms);
    told.allowed = {10e6};
    if (i % 2 == 0) told.bytes_so_far += i < 4 ? 300'000 : 30'000;
    seen = round.add(told, 40ms, start + 100ms);
  }
  ASSERT_TRUE(seen);
  EXPECT_GT(seen->rate, 1e6);
  EXPECT_LT(seen->rate, 20e6);
  EXPECT_EQ(seen->busy_rate, seen->rate);
}

TEST(QueueRound, tells_pauses_from_slow_sending) {
  const auto rates_of = [](BytesPerSecond allowed, Duration pause) {
    QueueRound round;
    std::optional<QueueSeen> seen;
    for (int i = 0; !seen && i < 40; ++i) {
      QueueSample told = sample(i % 2, (i - 1) * 2ms, i * 2ms, (i % 3) * 1ms);
      if (i >= 6) told.sent_at += pause;
      told.allowed = allowed;
      seen = round.add(told, 40ms, start + 100ms);
    }
    EXPECT_NEAR(seen->longest, 2e-3, 1e-9);
    return std::pair{seen->rate, seen->busy_rate};
  };
  const auto [with_pause, busy] = rates_of({10e6}, 10ms);
  EXPECT_LT(with_pause, 7e6);
  EXPECT_NEAR(busy, 10e6, 1e4);
  const auto [with_little, busy_with_little] = rates_of({10e6}, 4ms);
  EXPECT_EQ(with_little, busy_with_little) << "an eighth of the round trip is no pause";
  const auto [slow, busy_and_slow] = rates_of({20e6}, 0ms);
  EXPECT_EQ(slow, busy_and_slow) << "who sends half as fast does not pause";
  const auto [unknown, busy_of_unknown] = rates_of({0}, 10ms);
  EXPECT_EQ(unknown, busy_of_unknown);
}

/// A fifth of a round trip at 10 MB/s, then nothing for a round trip, again and again.
double megabits_after_bursts(Duration queue, std::uint64_t lost_of_four) {
  RankBound bound;
  QueueBound::Context context{.round_trip = 100ms,
                              .datagram_bytes = datagram_bytes,
                              .most = megabits_per_second(1000),
                              .usual_loss = 0,
                              .may_begin = true,
                              .alone = true};
  std::uint64_t sent = 0;
  const auto burst = [&](Duration from, Duration to, Duration met) {
    for (Duration at = from; at < to; at += 2ms) {
      QueueSample told = sample(static_cast<Rank>(at / 2ms % 2), at - 4ms, at, met);
      told.arrived = told.datagrams - lost_of_four;
      told.bytes_so_far = sent += 20'000;
      told.allowed = {10e6};
      bound.judge(told, context, start + at + 1ms);
    }
  };
  burst(0ms, 100ms, 40ms);
  EXPECT_TRUE(bound.rate());
  const double before = bound.rate()->value;
  for (int i = 1; i < 4; ++i)
    burst(i * 200ms, i * 200ms + 24ms, queue);
  return (bound.rate()->value - before) * 8e-6;
}

TEST(RankBound, rises_with_bursts_too_short_for_a_round_that_met_no_queue) {
  EXPECT_GT(megabits_after_bursts(1ms, 0), 0);
  EXPECT_EQ(megabits_after_bursts(6ms, 0), 0) << "more than half of what is tolerated";
  EXPECT_EQ(megabits_after_bursts(1ms, 1), 0) << "a quarter is lost, not none as without a queue";
}

TEST(QueueRound, of_one_peer_is_not_of_several) {
  QueueRound round;
  std::optional<QueueSeen> seen;
  for (int i = 0; !seen && i < 20; ++i)
    seen = round.add(sample(1, (i - 1) * 2ms, i * 2ms, 1ms), 40ms, start + 100ms);
  ASSERT_TRUE(seen);
  EXPECT_FALSE(seen->several);
}

TEST(QueueRound, tells_of_what_was_sent_after_its_first_datagram) {
  QueueRound round;
  std::optional<QueueSeen> seen;
  for (int i = 0; !seen && i < 20; ++i) {
    QueueSample told = sample(1, (i - 1) * 2ms, i * 2ms, 5ms + i * 1ms);
    told.bytes_so_far += 1'000'000;
    told.jump = 1e-3;
    seen = round.add(told, 40ms, start + 100ms);
  }
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->datagrams, 40);
  EXPECT_EQ(seen->bytes, 40 * datagram_bytes);
  EXPECT_NEAR(seen->sending, 20e-3, 1e-9);
  EXPECT_NEAR(seen->between, 10e-3, 1e-9);
  EXPECT_NEAR(seen->rate, 10e6, 1e-3);
  EXPECT_NEAR(seen->growth, 0.5, 1e-9);
  EXPECT_NEAR(seen->jump, 1e-3, 1e-9);
}

/// How many samples make a round, 20 ms apart.
int samples_of_round(std::uint64_t datagrams_each, QueueSeen& result) {
  QueueRound round;
  round.begin(start);
  for (int i = 0; i < 100; ++i) {
    QueueSample told = sample(1, (i - 1) * 20ms, i * 20ms, 1ms);
    told.datagrams = datagrams_each;
    told.arrived = datagrams_each + 1;
    if (const auto seen = round.add(told, 40ms, start + 10s)) {
      result = *seen;
      return i + 1;
    }
  }
  return 0;
}

TEST(QueueRound, has_two_samples_in_each_half_and_eight_datagrams) {
  QueueSeen seen;
  EXPECT_EQ(samples_of_round(4, seen), 4);
  EXPECT_EQ(seen.earlier_at, start) << "the first that met the least";
  EXPECT_EQ(seen.later_at, start + 40ms);
  EXPECT_EQ(samples_of_round(2, seen), 5);
}

TEST(QueueRound, lost_nothing_if_late_datagrams_make_more_arrive_than_were_sent) {
  QueueSeen seen;
  samples_of_round(4, seen);
  EXPECT_EQ(seen.loss, 0);
}

TEST(QueueRound, is_of_several_only_if_each_half_is) {
  QueueRound round;
  std::optional<QueueSeen> seen;
  for (int i = 0; !seen && i < 20; ++i)
    seen = round.add(sample(i > 5 ? i % 2 : 0, (i - 1) * 2ms, i * 2ms, 1ms), 40ms, start + 100ms);
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

TEST(CommonQueue, keeps_the_least_that_a_peers_datagrams_met) {
  CommonQueue queues;
  queues.add(1, start, 5ms);
  queues.add(1, start, 9ms);
  EXPECT_EQ(queues.beside(2, start), 5ms);
}

TEST(CommonQueue, knows_of_four_milliseconds_before_and_after) {
  CommonQueue queues;
  queues.add(1, start + 8ms, 5ms);
  EXPECT_FALSE(queues.beside(2, start));
  EXPECT_EQ(queues.beside(2, start + 4ms), 5ms);
  EXPECT_EQ(queues.beside(2, start + 12ms), 5ms);
  EXPECT_FALSE(queues.beside(2, start + 16ms));
}

/// Whether 10 ms of queue on the way to so many peers bound the rank.
bool bounds_rank(int peers, Duration between, bool alone = false) {
  RankBound bound;
  QueueBound::Context known = context_beside_others();
  known.alone = alone;
  bool changed = false;
  for (int i = 0; i < 11; ++i)
    changed |= bound.judge(sample(i % peers, (i - 1) * between, i * between, 10ms), known, start + 10s);
  EXPECT_EQ(changed, bound.rate().has_value());
  EXPECT_EQ(bound.queues().beside(peers, start), 10ms);
  return changed;
}

TEST(RankBound, begins_where_datagrams_to_several_peers_or_to_the_only_one_meet_a_queue) {
  EXPECT_TRUE(bounds_rank(2, 2ms));
  EXPECT_FALSE(bounds_rank(1, 2ms));
  EXPECT_TRUE(bounds_rank(1, 2ms, true));
}

TEST(RankBound, begins_anew_after_a_pause) {
  EXPECT_TRUE(bounds_rank(2, 20ms));
  EXPECT_FALSE(bounds_rank(2, 21ms));
}

}  // namespace
}  // namespace lbsp::transport
