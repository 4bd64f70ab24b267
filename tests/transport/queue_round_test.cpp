#include "transport/core/queue_round.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <optional>

#include "transport/core/common_queue.hpp"
#include "transport/core/path_rate.hpp"
#include "transport/core/rank_bound.hpp"

/// Of which queue a bound is: what echoes tell, round by round, of one path and of all.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr Instant start{1s};
constexpr std::size_t datagram_bytes = 1400;

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
