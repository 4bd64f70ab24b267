#include "transport/queues/bound/slow_link.hpp"

#include <gtest/gtest.h>

#include "queue_seen.hpp"
#include "transport/queues/bound/equal_steps.hpp"

namespace lbsp::transport {
namespace {

constexpr double slow_round_trip = 40e-3;

SlowLink link_of(double megabits) {
  SlowLink link;
  link.note(megabits_per_second(megabits).value, slow_round_trip, datagram_bytes);
  return link;
}

double datagram_time(double megabits) {
  return datagram_bytes / megabits_per_second(megabits).value;
}

/// Of eight datagrams, one of which has met so many others.
QueueSeen round_that_met(double datagrams, double loss) {
  QueueSeen round = seen(0, 0, loss, 1);
  round.datagrams = 8;
  round.longest = datagrams * datagram_time(1);
  return round;
}

TEST(SlowLink, tells_what_a_full_queue_of_few_datagrams_drops) {
  EXPECT_TRUE(link_of(1).drops(round_that_met(2, 0.25), 0.05));
  EXPECT_FALSE(link_of(1).drops(round_that_met(1.5, 0.25), 0.05)) << "that may be the path's own";
  EXPECT_FALSE(link_of(1).drops(round_that_met(2, 0.25), 0.2)) << "so much is usual";
  EXPECT_FALSE(link_of(10).drops(round_that_met(40, 0.25), 0.05)) << "there delays tell";
}

TEST(SlowLink, has_had_room_where_its_queue_has_been_longer_of_late) {
  SlowLink link = link_of(1);
  link.met(round_that_met(4, 0));
  EXPECT_TRUE(link.had_room(round_that_met(2.5, 0.25)));
  EXPECT_FALSE(link.drops(round_that_met(2.5, 0.25), 0.05));
  EXPECT_FALSE(link.had_room(round_that_met(3, 0.25)));
  EXPECT_TRUE(link.drops(round_that_met(3, 0.25), 0.05));
  SlowLink fast = link_of(10);
  fast.met(round_that_met(4, 0));
  EXPECT_FALSE(fast.had_room(round_that_met(2.5, 0.25)))
      << "others may keep a queue there that is seldom full";
}

TEST(SlowLink, lets_one_of_some_that_share_it_send_less_than_a_datagram_in_a_round_trip) {
  EXPECT_LT(link_of(1).least_rate(0) * slow_round_trip, datagram_bytes);
  EXPECT_DOUBLE_EQ(link_of(10).least_rate(0) * slow_round_trip, 2. * datagram_bytes);
  EXPECT_LT(link_of(1).most_step(), EqualSteps::most_step);
  EXPECT_EQ(link_of(10).most_step(), EqualSteps::most_step);
}

TEST(SlowLink, measures_a_queue_by_its_own_datagrams_however_little_the_rank_sends) {
  const double quarter = megabits_per_second(0.25).value;
  EXPECT_DOUBLE_EQ(link_of(1).own_queue(quarter), 3 * datagram_time(1)) << "of which it meets one";
  EXPECT_DOUBLE_EQ(link_of(10).own_queue(quarter), 2 * datagram_time(0.25));
}

/// With 0.2 ms that was 108 Mbit/s, whatever the link carried.
TEST(SlowLink, on_a_short_path_two_datagrams_in_20_ms_are_the_least) {
  SlowLink link;
  link.note(std::nullopt, 2e-4, datagram_bytes);
  EXPECT_DOUBLE_EQ(link.least_rate(0) * 0.02, 2. * datagram_bytes);
}

}  // namespace
}  // namespace lbsp::transport
