#include "transport/rate/downlink.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>

/// When a receiver takes its own downlink for what limits its peers, and at what rate.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr Duration round_trip = 40ms;
constexpr double megabit = 125e3;  // bytes per second
constexpr std::size_t datagram = 1250;

/// A link of 100 Mbit/s: a datagram in 0.1 ms, from one peer after the other.
struct FloodedLink {
  Rank peers = 4;
  Rank uninformed = 0;  ///< of them: they began behind the queue that stands now
  Downlink downlink = {};
  Instant now{1s};

  /// What comes in `time`, after a queue of `queue`. For each datagram, `dropped` were dropped.
  void come(Duration time, Duration queue, std::uint64_t dropped = 0, Duration apart = 100us) {
    const Downlink::Context context{
        .datagram_bytes = datagram, .usual_loss = 0.05, .may_begin = true, .most = {1000 * megabit}};
    ArrivalGauge::Seen seen{queue, 1 + dropped, 1};
    Downlink::Arrival arrival{.peer = 0, .bytes = datagram, .seen = &seen, .round_trip = round_trip};
    for (const Instant end = now + time; now < end; now += apart) {
      arrival.peer = (arrival.peer + 1) % peers;
      arrival.path = static_cast<std::uint32_t>(arrival.peer);
      seen.queue = arrival.peer < uninformed ? 0ms : queue;
      if (downlink.arrived(arrival, now)) downlink.judge(arrival, context, now);
    }
  }
  /// 0: none.
  double megabits() const {
    const auto rate = downlink.rate(now);
    return rate ? rate->value / megabit : 0;
  }
};

/// For 100 ms, after a second without a queue.
FloodedLink flooded() {
  FloodedLink link;
  link.come(1s, 0ms);
  link.come(100ms, 30ms, 3);
  return link;
}

TEST(Downlink, no_queue_alone_limits_anybody) {
  FloodedLink link;
  link.come(1s, 0ms);
  link.come(5s, 30ms);
  EXPECT_EQ(link.megabits(), 0) << "delays that vary look like that";
}

TEST(Downlink, no_loss_alone_limits_anybody) {
  FloodedLink link;
  link.come(5s, 0ms, 1);
  EXPECT_EQ(link.megabits(), 0) << "it is the paths' own";
}

/// In rounds of some twenty datagrams; with any rate that was begun by chance fewer would come.
TEST(Downlink, half_of_the_datagrams_lost_by_chance_limit_nobody) {
  FloodedLink link;
  std::mt19937 random(1);
  std::geometric_distribution<std::uint64_t> lost(0.5);
  int limited = 0;
  constexpr int arrivals = 200'000;
  for (int i = 0; i < arrivals; ++i) {
    link.come(1ms, 0ms, lost(random), 1ms);
    limited += link.megabits() > 0 ? 1 : 0;
  }
  EXPECT_LT(limited, arrivals / 100);
}

/// Of three, two see no queue, as theirs was full from the first datagram on.
TEST(Downlink, who_has_met_only_the_full_queue_does_not_hide_it_from_others) {
  FloodedLink link;
  link.come(1s, 0ms);
  link.uninformed = 2;
  link.come(100ms, 30ms, 3);
  EXPECT_LT(link.megabits(), 95);
  EXPECT_GT(link.megabits(), 75);
}

/// All began behind a queue that was full already. Nearly all is lost for longer than chance would have it.
TEST(Downlink, a_flood_that_nobody_has_seen_the_link_without_is_seen_by_its_drops) {
  FloodedLink link;
  link.come(45ms, 0ms, 3);
  EXPECT_EQ(link.megabits(), 0);
  link.come(55ms, 0ms, 3);
  EXPECT_TRUE(link.downlink.flooded());
  EXPECT_LT(link.megabits(), 95);
  EXPECT_GT(link.megabits(), 75);
  link.come(1s, 0ms, 3);
  EXPECT_FALSE(link.downlink.flooded()) << "if less does not help, it is the paths' own";
  EXPECT_NEAR(link.downlink.own_loss(), 0.75, 0.01);
}

TEST(Downlink, one_peer_alone_is_not_limited) {
  FloodedLink link{.peers = 1};
  link.come(1s, 0ms);
  link.come(5s, 30ms, 3);
  EXPECT_EQ(link.megabits(), 0) << "its own bound sees to that";
}

TEST(Downlink, who_tries_a_higher_rate_on_a_link_of_his_own_is_not_limited) {
  FloodedLink link;
  link.come(1s, 0ms);
  for (int i = 0; i < 100; ++i) {  // 20 %
    link.come(400us, 30ms);
    link.come(100us, 30ms, 1);
  }
  EXPECT_EQ(link.megabits(), 0);
}

TEST(Downlink, a_flood_limits_all_to_what_comes_through_less_what_empties_the_queue) {
  FloodedLink link;
  link.come(1s, 0ms);
  link.come(25ms, 30ms, 3);
  EXPECT_EQ(link.megabits(), 0) << "one round may be a burst";
  link.come(50ms, 30ms, 3);
  EXPECT_LT(link.megabits(), 95);
  EXPECT_GT(link.megabits(), 80);
  EXPECT_TRUE(link.downlink.flooded());
  link.come(50ms, 8ms);
  EXPECT_FALSE(link.downlink.flooded());
  EXPECT_GT(link.megabits(), 95) << "little is left of the queue";
  EXPECT_LT(link.megabits(), 101);
}

TEST(Downlink, without_a_queue_the_rate_rises_slowly_as_long_as_it_is_used) {
  FloodedLink link = flooded();
  link.come(105ms, 1ms);
  const double few_rounds = link.megabits();
  EXPECT_LT(few_rounds, 110);
  link.come(300ms, 1ms, 0, 300us);
  EXPECT_NEAR(link.megabits(), few_rounds, 5) << "a third of it is used";
}

TEST(Downlink, there_is_no_rate_any_more_once_much_more_comes_through) {
  FloodedLink link = flooded();
  ASSERT_GT(link.megabits(), 0);
  for (int i = 0; i < 200; ++i)
    link.come(20ms, 0ms, 0, 8us);
  EXPECT_EQ(link.megabits(), 0);
}

/// As behind a link that delays vary on. What comes before a real queue comes at the link's rate.
TEST(Downlink, a_queue_before_which_less_comes_than_the_link_carries_is_none) {
  FloodedLink link = flooded();
  ASSERT_GT(link.megabits(), 0);
  link.come(200ms, 30ms, 0, 120us);
  EXPECT_EQ(link.megabits(), 0);
  link.come(5s, 30ms, 3);
  EXPECT_EQ(link.megabits(), 0) << "not for ten seconds";
  link.come(6s, 30ms, 3);
  EXPECT_GT(link.megabits(), 0);
}

/// A round of the most of ten has a datagram or two more than the link carries in its time.
TEST(Downlink, that_is_slow_is_not_doubted_for_a_datagram_or_two_in_a_round) {
  FloodedLink link;
  link.come(4s, 0ms, 0, 5ms);
  link.come(4s, 60ms, 3, 5ms);
  ASSERT_GT(link.megabits(), 0);
  link.come(100ms, 60ms, 0, 4600us);
  link.come(1s, 60ms, 0, 5200us);
  EXPECT_GT(link.megabits(), 0);
}

TEST(Downlink, that_carries_five_datagrams_in_a_round_trip_has_a_rate_too) {
  FloodedLink link;
  link.come(4s, 0ms, 0, 15ms);
  link.come(4s, 60ms, 3, 15ms);
  EXPECT_GT(link.megabits(), 0);
}

/// What stands in it for ten seconds would pass for none.
TEST(Downlink, the_queue_is_emptied_now_and_then) {
  FloodedLink link = flooded();
  const auto lowest_of = [&](Duration time) {
    double lowest = link.megabits();
    for (const Instant end = link.now + time; link.now < end;) {
      link.come(20ms, 6ms);
      lowest = std::min(lowest, link.megabits());
    }
    return lowest;
  };
  lowest_of(1s);
  EXPECT_LT(lowest_of(8s), 85);
  EXPECT_GT(lowest_of(4s), 90);
}

/// As where the queue has not been empty for so long that all delays are measured from the full one.
TEST(Downlink, much_that_is_dropped_without_a_queue_is_a_flood_that_less_is_to_end) {
  FloodedLink link;
  link.come(1s, 0ms);
  link.come(100ms, 30ms, 3);
  link.come(400ms, 1ms);
  ASSERT_GT(link.megabits(), 110);
  link.come(45ms, 0ms, 1);
  EXPECT_GT(link.megabits(), 110) << "two rounds may be chance";
  link.come(40ms, 0ms, 1);
  EXPECT_LT(link.megabits(), 95);
  EXPECT_GT(link.megabits(), 75);
  EXPECT_TRUE(link.downlink.flooded());
  link.come(100ms, 1ms, 0, 120us);
  EXPECT_FALSE(link.downlink.flooded());
  EXPECT_LT(link.downlink.own_loss(), 0.05) << "what was dropped was not the paths' own";
}

TEST(Downlink, loss_that_stays_where_less_comes_is_the_paths_own) {
  FloodedLink link;
  link.come(1s, 0ms);
  link.come(100ms, 30ms, 3);
  link.come(400ms, 1ms);
  link.come(400ms, 0ms, 1);
  EXPECT_NEAR(link.downlink.own_loss(), 0.5, 0.01);
  EXPECT_FALSE(link.downlink.flooded());
  link.come(400ms, 0ms, 1);
  EXPECT_EQ(link.megabits(), 0) << "all 200 may come";
}

TEST(Downlink, after_a_pause_all_that_came_through_may_come_again) {
  FloodedLink link = flooded();
  ASSERT_LT(link.megabits(), 95);
  link.now += 200ms;
  link.come(1ms, 0ms);
  EXPECT_GT(link.megabits(), 98);
}

TEST(Downlink, is_forgotten_after_ten_seconds_without_data) {
  FloodedLink link = flooded();
  ASSERT_GT(link.megabits(), 0);
  link.now += 11s;
  EXPECT_EQ(link.megabits(), 0);
  link.come(1ms, 0ms);
  EXPECT_EQ(link.megabits(), 0);
}

/// Most of what was sent has been dropped before anything was known of the link, so its queue passes for none.
struct LinkFloodedAtFirst : FloodedLink {
  LinkFloodedAtFirst() {
    const Downlink::Context context{
        .datagram_bytes = datagram, .usual_loss = 0.05, .may_begin = true, .most = {1000 * megabit}};
    EXPECT_TRUE(downlink.flooded_at_first(0.9, {100 * megabit}, context, now));
  }
  /// As come(), of a queue that delays show to have been `longer` than it seemed in all.
  void show(Duration time, Duration longer) {
    const Downlink::Context context{
        .datagram_bytes = datagram, .usual_loss = 0.05, .may_begin = true, .most = {1000 * megabit}};
    ArrivalGauge::Seen seen{0ms, 1, 1, longer / (time / 100us)};
    Downlink::Arrival arrival{.peer = 0, .bytes = datagram, .seen = &seen, .round_trip = round_trip};
    for (const Instant end = now + time; now < end; now += 100us) {
      arrival.peer = 1 - arrival.peer;
      arrival.path = static_cast<std::uint32_t>(arrival.peer);
      if (downlink.arrived(arrival, now)) downlink.judge(arrival, context, now);
    }
  }
};

TEST(Downlink, of_a_first_flood_less_comes_until_its_queue_is_empty) {
  LinkFloodedAtFirst link;
  EXPECT_NEAR(link.megabits(), 84, 1) << "four fifths of what came, over 1 - 5 %";
  link.show(300ms, 120ms);
  EXPECT_NEAR(link.megabits(), 84, 1) << "delays still become shorter";
  link.show(30ms, 0ms);
  EXPECT_GE(link.megabits(), 105) << "they do no more";
}

TEST(Downlink, a_first_flood_that_shows_no_queue_was_none) {
  LinkFloodedAtFirst link;
  link.come(150ms, 0ms);
  EXPECT_GT(link.megabits(), 0);
  link.come(60ms, 0ms);
  EXPECT_EQ(link.megabits(), 0);
  link.come(5s, 30ms, 3);
  EXPECT_EQ(link.megabits(), 0) << "for ten seconds";
}

TEST(Downlink, a_queue_before_which_less_comes_stands_elsewhere_once_a_first_flood_has_shown) {
  LinkFloodedAtFirst link;
  link.show(300ms, 120ms);
  link.show(30ms, 0ms);
  link.come(300ms, 30ms, 0, 130us);
  EXPECT_GT(link.megabits(), 90) << "it is not to be emptied here";
}

}  // namespace
}  // namespace lbsp::transport
