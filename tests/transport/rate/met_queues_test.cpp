#include "transport/rate/met_queues.hpp"

#include <chrono>
#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

ArrivalGauge::Seen queue_of(Duration queue, Duration mistaken = Duration{0}) {
  return {.queue = queue, .datagrams = 1, .arrived = 1, .mistaken = mistaken};
}

TEST(MetQueues, are_as_long_as_the_least_of_a_round) {
  MetQueues met;
  met.begin_round();
  for (const auto queue : {30ms, 12ms, 20ms})
    met.meet(1, queue_of(queue), {});
  EXPECT_EQ(met.least(), 12ms);
  met.begin_round();
  met.meet(1, queue_of(25ms), {});
  EXPECT_EQ(met.least(), 25ms) << "of this round";
}

TEST(MetQueues, of_a_peer_who_began_behind_the_queue_do_not_count) {
  MetQueues met;
  met.begin_round();
  met.meet(1, queue_of(30ms), {});
  met.meet(2, queue_of(0ms), {});
  EXPECT_EQ(met.least(), 30ms);
  met.meet(2, queue_of(15ms), {});
  EXPECT_EQ(met.least(), 0ms) << "path 2 has met half of that now";
}

TEST(MetQueues, of_paths_that_share_a_place_are_those_of_the_one_who_met_most) {
  MetQueues met;
  met.begin_round();
  met.meet(3, queue_of(20ms), {});
  met.meet(3 + 256, queue_of(10ms), {});
  EXPECT_EQ(met.least(), 20ms);
  met.meet(3 + 256, queue_of(40ms), {});
  EXPECT_EQ(met.least(), 40ms);
}

TEST(MetQueues, turn_out_longer_by_what_one_path_shows_in_a_round) {
  MetQueues met;
  met.begin_round();
  met.meet(1, queue_of(10ms, 2ms), {});
  met.meet(1, queue_of(10ms, 3ms), {});
  met.meet(2, queue_of(10ms, 4ms), {});
  EXPECT_EQ(met.mistaken(), 5ms);
  met.begin_round();
  EXPECT_EQ(met.mistaken(), 0ms);
}

/// A link of ten megabytes per second.
TEST(MetQueues, vary_where_delays_grow_faster_than_what_came_in_between_fills_a_queue) {
  MetQueues met;
  met.begin_round();
  double bytes = 0;
  const auto meet = [&](Duration queue, double came) {
    bytes += came;
    met.meet(1, queue_of(queue), {.bytes_so_far = bytes, .carried = 10e6});
    return met.varied();
  };
  EXPECT_EQ(meet(5ms, 1000), 0ms) << "nothing came before it";
  EXPECT_EQ(meet(7ms, 20'000), 0ms) << "they take two milliseconds";
  EXPECT_EQ(meet(1ms, 1000), 0ms);
  EXPECT_EQ(meet(4ms, 10'000), 2ms);
  EXPECT_EQ(meet(5ms, 10'000), 2ms) << "the most of the round";
  met.begin_round();
  EXPECT_EQ(met.varied(), 0ms);
}

/// Many send, so a queue may have become much shorter and longer between two datagrams of one of them.
TEST(MetQueues, vary_from_one_path_to_the_next) {
  MetQueues met;
  met.begin_round();
  double bytes = 0;
  const auto meet = [&](std::uint32_t path, Duration queue) {
    bytes += 10'000;
    met.meet(path, queue_of(queue), {.bytes_so_far = bytes, .carried = 10e6});
    return met.varied();
  };
  EXPECT_EQ(meet(1, 6ms), 0ms);
  EXPECT_EQ(meet(2, 1ms), 0ms) << "who has met less than half of the longest may have come behind a queue";
  EXPECT_EQ(meet(1, 6ms), 0ms);
  EXPECT_EQ(meet(2, 3ms), 0ms);
  EXPECT_EQ(meet(1, 6ms), 2ms) << "what came in between takes a millisecond";
}

TEST(MetQueues, vary_on_no_link_of_which_nothing_is_known) {
  MetQueues met;
  met.begin_round();
  met.meet(1, queue_of(0ms), {});
  met.meet(1, queue_of(9ms), {});
  EXPECT_EQ(met.varied(), 0ms);
}

}  // namespace
}  // namespace lbsp::transport
