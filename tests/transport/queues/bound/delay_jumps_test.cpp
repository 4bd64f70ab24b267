#include "transport/queues/bound/delay_jumps.hpp"

#include <chrono>
#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// A found rate of 1 MB/s, in datagrams that take 1.2 ms each.
constexpr DelayJumps::Context found{.round_trip = 40ms,
                                    .datagram_bytes = 1200,
                                    .senders = 1,
                                    .most = 1e6,
                                    .varying = false,
                                    .through = 1e6,
                                    .bounded = false};

QueueSeen round_with(double queue, double jump) {
  QueueSeen seen;
  seen.rate = 1e6;
  seen.queue = seen.longest = queue;
  seen.jump = jump;
  return seen;
}

TEST(DelayJumps, are_of_more_than_two_datagrams_time) {
  EXPECT_FALSE(DelayJumps::in(round_with(10e-3, 2.3e-3), found));
  EXPECT_TRUE(DelayJumps::in(round_with(10e-3, 2.5e-3), found));
}

TEST(DelayJumps, are_not_all_by_which_delays_vary) {
  const auto vary = [](double by, double rate, double through = 0) {
    QueueSeen seen = round_with(10e-3, 0);
    seen.variation = by;
    seen.rate = rate;
    return DelayJumps::vary(seen, 1200, through);
  };
  EXPECT_FALSE(vary(0.9e-3, 10e6));
  EXPECT_TRUE(vary(1.1e-3, 10e6));
  EXPECT_FALSE(vary(4.7e-3, 1e6)) << "four datagrams of others";
  EXPECT_TRUE(vary(4.9e-3, 1e6));
  EXPECT_TRUE(vary(1.1e-3, 1e6, 10e6)) << "a bound makes the link no slower";
}

TEST(DelayJumps, of_ranks_that_send_together_are_each_other_s_bursts) {
  auto together = found;
  together.senders = 2;
  EXPECT_FALSE(DelayJumps::in(round_with(10e-3, 2.5e-3), together));
}

TEST(
    DelayJumps,
    before_a_long_queue_or_heavy_loss_count_only_where_delays_vary_otherwise_or_lowering_the_rate_was_in_vain) {
  auto drops = round_with(10e-3, 5e-3);
  drops.loss = 0.5;
  auto varying = found;
  varying.varying = true;
  auto in_vain = found;
  in_vain.through = 3e6;
  EXPECT_FALSE(DelayJumps::in(round_with(60e-3, 5e-3), found));
  EXPECT_FALSE(DelayJumps::in(drops, found));
  EXPECT_TRUE(DelayJumps::in(round_with(60e-3, 5e-3), varying));
  EXPECT_TRUE(DelayJumps::in(round_with(60e-3, 5e-3), in_vain));
}

/// Of a TCP in the same queue: 2.4 ms are two datagrams' time, and all of the round have met nearly the same queue.
TEST(DelayJumps, by_others_bursts_leave_a_bound_that_is_there) {
  auto bounded = found;
  bounded.bounded = true;
  bounded.most = 2e6;
  bounded.through = 2e6;
  const auto even = round_with(10e-3, 2.4e-3);
  auto uneven = even;
  uneven.longest = 20e-3;
  EXPECT_TRUE(DelayJumps::in(even, [&] {
    auto without = bounded;
    without.bounded = false;
    return without;
  }()));
  EXPECT_FALSE(DelayJumps::in(even, bounded));
  EXPECT_TRUE(DelayJumps::in(uneven, bounded));
}

/// Many ranks meet each other's datagrams before their downlinks.
TEST(DelayJumps, end_a_bound_if_they_last_for_three_rounds_or_are_of_twice_as_much) {
  auto bounded = found;
  bounded.bounded = true;
  const auto slight = round_with(1e-3, 2.5e-3);
  DelayJumps jumps;
  EXPECT_TRUE(jumps.last(slight, found)) << "no bound begins";
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(jumps.last(round_with(1e-3, 2e-3), bounded));
    EXPECT_FALSE(jumps.last(slight, bounded)) << i;
    EXPECT_FALSE(jumps.last(slight, bounded)) << i;
  }
  EXPECT_TRUE(jumps.last(slight, bounded));
  DelayJumps others;
  EXPECT_TRUE(others.last(round_with(1e-3, 5e-3), bounded));
}

TEST(DelayJumps, are_doubted_for_twice_as_long_each_time) {
  DelayJumps jumps;
  Instant now{100s};
  EXPECT_FALSE(jumps.doubted(now));
  for (const auto length : {10s, 20s, 40s, 60s, 60s}) {
    jumps.begin_doubt(now);
    EXPECT_TRUE(jumps.doubted(now + length - 1ms)) << length.count();
    EXPECT_FALSE(jumps.doubted(now + length)) << length.count();
    now += 200s;
  }
}

}  // namespace
}  // namespace lbsp::transport
