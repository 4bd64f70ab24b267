#include <chrono>
#include <gtest/gtest.h>
#include <optional>

#include "tests/transport/queues/bound/queue_seen.hpp"
#include "transport/queues/bound/queue_bound.hpp"
#include "transport/queues/bound/rank_bound.hpp"
#include "transport/queues/queue_round.hpp"

/// Bursts at many times the rate of a link, as a rank sends that was told far too much.
namespace lbsp::transport {
namespace {

/// The sample of a burst of 100 MB/s whose four datagrams find a queue that grows by `step`.
QueueSample sample_of_burst(int number, Duration step) {
  constexpr Duration apart = 56us;
  QueueSample result;
  result.peer = number % 2;
  result.since = start + (number - 1) * apart;
  result.sent_at = start + number * apart;
  result.queue = number * step;
  result.datagrams = result.arrived = 8;
  result.bytes = 4 * datagram_bytes;
  result.bytes_so_far = static_cast<std::uint64_t>(number) * 4 * datagram_bytes;
  result.bytes_by_now = 100 * 4 * datagram_bytes;
  return result;
}

std::optional<QueueSeen> flood_of(int samples, Duration step, Duration round_trip = 40ms) {
  QueueRound round;
  for (int i = 0; i < samples; ++i)
    round.add(sample_of_burst(i, step), round_trip, start + 40ms);
  return round.flood(round_trip, start + 40ms);
}

TEST(Flood, is_a_burst_that_fills_a_queue_of_half_a_round_trip_and_40_ms) {
  const auto seen = flood_of(10, 5ms);
  ASSERT_TRUE(seen);
  EXPECT_NEAR(seen->queue, 45e-3, 1e-9);
  EXPECT_NEAR(seen->rate, 100e6, 1e4);
  EXPECT_NEAR(seen->growth, 5e-3 / 56e-6, 1e-3);
  EXPECT_EQ(seen->variation, 0) << "what senders fill, however fast, is no delay that varies";
  EXPECT_TRUE(seen->several);
  EXPECT_FALSE(flood_of(9, 5ms)) << "40 ms";
  EXPECT_FALSE(flood_of(10, 5ms, 90ms)) << "half of 90 ms";
  EXPECT_FALSE(flood_of(5, 30ms)) << "datagrams may just be late";
}

TEST(Flood, is_none_where_delays_are_as_long_early_on) {
  QueueRound round;
  for (int i = 0; i < 12; ++i) {
    QueueSample late = sample_of_burst(i, 5ms);
    if (i > 0) late.queue = 40ms + i * 2ms;
    round.add(late, 40ms, start + 40ms);
  }
  EXPECT_FALSE(round.flood(40ms, start + 40ms));
}

TEST(Flood, that_is_told_of_bounds_a_told_rate_to_what_comes_through) {
  for (const bool told : {true, false}) {
    RankBound bound;
    QueueBound::Context path = context();
    path.told = told;
    path.most = megabits_per_second(800);
    path.alone = true;
    for (int i = 0; i < 12; ++i)
      bound.judge(sample_of_burst(i, 5ms), path, start + 40ms);
    ASSERT_EQ(bound.rate().has_value(), told);
    if (told) {
      EXPECT_NEAR(bound.rate()->value, 0.5 * 100e6 / (1 + 5e-3 / 56e-6), 1e4) << "half of it at first";
    }
  }
}

/// Of 100 Mbit/s that were told, 10 come through.
TEST(Flood, leaves_a_bound_although_delays_jump) {
  QueueBound bound;
  QueueBound::Context path = context();
  path.told = true;
  QueueSeen flood = seen(50e-3, 9, 0.05, 100);
  flood.flood = true;
  EXPECT_TRUE(bound.judge(flood, path));
  const double before = megabits(bound);
  EXPECT_NEAR(before, 5, 1e-9);
  QueueSeen jumping = seen(1e-3, 0, 0.05, before);
  jumping.jump = 5e-3;
  bound.judge(jumping, path);
  EXPECT_GE(megabits(bound), before);
}

TEST(Flood, leaves_no_bound_where_delays_jump_and_there_was_none) {
  QueueBound bound;
  QueueBound::Context path = context();
  path.told = true;
  EXPECT_TRUE(bound.judge(seen(50e-3, 9, 0.05, 100), path));
  QueueSeen jumping = seen(1e-3, 0, 0.05, megabits(bound));
  jumping.jump = 5e-3;
  EXPECT_TRUE(bound.judge(jumping, path));
  EXPECT_FALSE(bound.rate());
}

}  // namespace
}  // namespace lbsp::transport
