#include "transport/rate/spill_bound.hpp"

#include <gtest/gtest.h>

#include "tests/transport/rate/bursts.hpp"

/// Bursts that spill over a queue of a few datagrams.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

TEST(SpillBound, is_the_part_of_the_rate_that_arrived_where_most_was_lost_in_two_round_trips) {
  Bursts path;
  EXPECT_FALSE(path.burst(100, 20));
  EXPECT_EQ(path.bounded(), 0) << "that may be chance";
  EXPECT_TRUE(path.burst(100, 20));
  EXPECT_NEAR(path.bounded(), 0.2 * 10'000, 1e-6);
  EXPECT_FALSE(path.bound.fell()) << "what was lost on a long path still counts";
}

TEST(SpillBound, is_none_where_no_less_would_go) {
  Bursts path;
  path.path.fair = {20 * bytes_of_datagram / 0.1};
  EXPECT_FALSE(path.bursts(2, 100, 10)) << "twice what arrived";
  EXPECT_EQ(path.bounded(), 0);
}

TEST(SpillBound, is_at_least_twice_what_arrived) {
  Bursts path;
  path.path.fair = {150 * bytes_of_datagram / 0.1};
  path.bursts(2, 100, 10);
  EXPECT_NEAR(path.bounded(), 20, 1e-9);
}

TEST(SpillBound, does_not_begin_where_half_arrives) {
  Bursts path;
  EXPECT_FALSE(path.bursts(10, 100, 51));
}

TEST(SpillBound, does_not_begin_with_one_lossy_round_trip_now_and_then) {
  Bursts path;
  for (int i = 0; i < 10; ++i)
    EXPECT_FALSE(path.burst(100, 10) || path.burst(100, 90));
}

TEST(SpillBound, does_not_begin_with_what_a_path_usually_loses) {
  Bursts path;
  path.path.usual_loss = 0.1;
  EXPECT_FALSE(path.bursts(10, 100, 46));
  EXPECT_TRUE(path.bursts(2, 100, 44));
}

/// A policer that drops 85 % teaches that for the path's own, and floods of it would never be bound.
TEST(SpillBound, begins_though_a_flood_has_passed_for_usual) {
  Bursts path;
  path.path.usual_loss = 0.87;
  EXPECT_TRUE(path.bursts(2, 100, 10));
}

TEST(SpillBound, waits_for_eight_datagrams_and_a_round_trip) {
  Bursts few;
  EXPECT_FALSE(few.burst(7, 0) || few.burst(7, 0)) << "one round of fourteen";
  Bursts eight;
  EXPECT_FALSE(eight.burst(8, 0));
  EXPECT_TRUE(eight.burst(8, 0));
  Bursts early;
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(early.burst(20, 2, 49ms)) << "one round of three";
}

/// Twenty datagrams in a round trip.
Bursts bounded_path() {
  Bursts path;
  path.path.fair = {150 * bytes_of_datagram / 0.1};
  path.bursts(2, 100, 10);
  return path;
}

TEST(SpillBound, doubles_while_what_goes_arrives) {
  Bursts path = bounded_path();
  EXPECT_TRUE(path.burst(20, 20));
  EXPECT_NEAR(path.bounded(), 40, 1e-9);
  EXPECT_TRUE(path.burst(40, 34)) << "a seventh is lost by chance";
  EXPECT_NEAR(path.bounded(), 80, 1e-9);
}

TEST(SpillBound, stays_while_too_little_goes_to_show_whether_more_would_be_carried) {
  Bursts path = bounded_path();
  EXPECT_FALSE(path.burst(11, 11));
  path.bound.held();
  EXPECT_FALSE(path.burst(11, 11)) << "on a long path, what waits does not show it either";
  EXPECT_NEAR(path.bounded(), 20, 1e-9);
  EXPECT_TRUE(path.burst(13, 13));
}

TEST(SpillBound, ends_when_all_that_would_go_arrives) {
  Bursts path = bounded_path();
  path.path.fair = {70 * bytes_of_datagram / 0.1};
  path.burst(20, 20);
  ASSERT_NEAR(path.bounded(), 40, 1e-9);
  EXPECT_TRUE(path.burst(40, 40));
  EXPECT_EQ(path.bounded(), 0);
}

TEST(SpillBound, falls_to_what_arrives_and_rises_carefully_from_there) {
  Bursts path = bounded_path();
  path.burst(20, 20);
  path.burst(40, 40);
  ASSERT_NEAR(path.bounded(), 80, 1e-9);
  EXPECT_FALSE(path.burst(100, 50)) << "that may be chance";
  EXPECT_TRUE(path.burst(100, 50));
  EXPECT_NEAR(path.bounded(), 50, 1e-9);
  EXPECT_TRUE(path.burst(50, 50));
  EXPECT_NEAR(path.bounded(), 62.5, 1e-9);
}

TEST(SpillBound, falls_to_the_part_of_itself_that_arrived_where_a_burst_is_short) {
  Bursts path = bounded_path();
  path.burst(20, 20);
  path.burst(40, 40);
  path.bursts(2, 10, 3);
  EXPECT_NEAR(path.bounded(), 0.3 * 80, 1e-9);
}

/// What the path loses itself is lost at a lower rate, too.
TEST(SpillBound, falls_to_the_part_of_itself_that_arrived_of_what_a_path_lets_pass) {
  Bursts path = bounded_path();
  path.burst(20, 20);
  path.burst(40, 40);
  path.path.usual_loss = 0.1;
  path.bursts(2, 10, 4);
  EXPECT_NEAR(path.bounded(), 0.4 / 0.9 * 80, 1e-9);
}

TEST(SpillBound, falls_at_once_where_the_next_rate_is_too_high_again) {
  Bursts path = bounded_path();
  path.burst(20, 20);
  path.burst(40, 40);
  path.bursts(2, 100, 60);
  ASSERT_NEAR(path.bounded(), 60, 1e-9);
  EXPECT_TRUE(path.burst(60, 40));
  EXPECT_NEAR(path.bounded(), 40, 1e-9);
}

/// A path bound of 200 kbit/s, which became that of the rank, made supersteps of 74 ms take 5 s.
TEST(SpillBound, does_not_fall_where_runs_of_random_losses_hit_single_rounds) {
  Bursts path = bounded_path();
  for (int i = 0; i < 4; ++i) {
    const double before = path.bounded();
    path.burst(10, 4);
    EXPECT_EQ(path.bounded(), before);
    path.burst(1000, 1000);
  }
  EXPECT_FALSE(path.bound.shown());
}

/// From there, who looks for a rate can go on.
TEST(SpillBound, has_shown_what_is_carried_once_it_was_too_high_and_then_arrived) {
  Bursts path = bounded_path();
  path.burst(20, 20);
  path.burst(40, 40);
  EXPECT_FALSE(path.bound.shown()) << "never too high";
  path.bursts(2, 100, 50);
  EXPECT_FALSE(path.bound.shown()) << "it may still be";
  path.burst(50, 50);
  ASSERT_TRUE(path.bound.shown());
  EXPECT_EQ(*path.bound.shown(), *path.bound.rate());
  path.bursts(2, 100, 20);
  path.burst(20, 20);
  EXPECT_TRUE(path.bound.shown()) << "a flood is no less of a sign";
  path.path.in_bursts = false;
  path.burst(20, 20);
  EXPECT_FALSE(path.bound.shown()) << "there is none";
  path.path.in_bursts = true;
  path.bursts(2, 100, 10);
  ASSERT_TRUE(path.bound.rate());
  EXPECT_FALSE(path.bound.shown()) << "another one has begun";
}

/// Two in a round trip of 10 ms are 2 Mbit/s: a policer of 0.3 dropped 96 % for good.
TEST(SpillBound, of_a_short_path_may_be_far_below_two_datagrams_in_a_round_trip) {
  Bursts path;
  path.path.round_trip = 10ms;
  path.path.fair = {12 * bytes_of_datagram / 0.01};
  for (int i = 0; i < 4; ++i)
    path.burst(100, 0, 10ms);
  ASSERT_TRUE(path.bound.rate());
  EXPECT_NEAR(path.bound.rate()->value, 12 * bytes_of_datagram / 0.01 / 64, 1e-6);
  for (int i = 0; i < 4; ++i)
    path.burst(100, 0, 10ms);
  EXPECT_TRUE(!path.bound.rate() || path.bound.rate()->value > 2 * bytes_of_datagram / 0.3 - 1);
}

TEST(SpillBound, is_at_least_two_datagrams_in_a_long_round_trip) {
  Bursts path;
  path.path.round_trip = 300ms;
  path.path.fair = {12 * bytes_of_datagram / 0.3};
  for (int i = 0; i < 2; ++i)
    path.burst(100, 0, 300ms);
  EXPECT_NEAR(path.bounded(), 2, 1e-9);
}

TEST(SpillBound, does_not_fall_by_what_a_path_loses_itself) {
  Bursts path = bounded_path();
  path.path.usual_loss = 0.15;
  for (int i = 0; i < 4; ++i)
    path.burst(10, 7);
  EXPECT_GE(path.bounded(), 20);
  path.path.usual_loss = 0;
  for (int i = 0; i < 2; ++i)
    path.burst(10, 7);
  EXPECT_LT(path.bounded(), 20);
}

TEST(SpillBound, is_at_least_an_eighth_of_the_rate_as_an_outage_ends) {
  Bursts path;
  path.bursts(2, 100, 1);
  EXPECT_NEAR(path.bounded(), 10'000.0 / 8, 1e-6);
  path.bursts(2, 1250, 1);
  EXPECT_NEAR(path.bounded(), 10'000.0 / 64, 1e-6);
}

/// Long datagrams that a narrow path drops say nothing of its rate. Short ones arrive, and tell of them.
TEST(SpillBound, takes_no_notice_of_what_short_datagrams_say) {
  Bursts path;
  path.mark.data = false;
  EXPECT_FALSE(path.bursts(5, 100, 10));
  path.mark.data = true;
  EXPECT_FALSE(path.burst(10, 10));
  EXPECT_FALSE(path.burst(10, 10));
}

TEST(SpillBound, is_not_for_messages_that_still_go_when_echoes_come) {
  Bursts path;
  path.path.in_bursts = false;
  EXPECT_FALSE(path.bursts(5, 100, 10));
  Bursts bounded = bounded_path();
  bounded.path.in_bursts = false;
  EXPECT_TRUE(bounded.burst(20, 20));
  EXPECT_EQ(bounded.bounded(), 0);
}

/// Supersteps on slow links take as long as that: each of them began with a flood.
TEST(SpillBound, doubles_again_after_ten_seconds_without_datagrams) {
  Bursts path = bounded_path();
  path.burst(20, 20);
  path.bursts(2, 40, 20);
  const double before = path.bounded();
  EXPECT_FALSE(path.burst(20, 20, 11s));
  EXPECT_EQ(path.bounded(), before);
  path.burst(static_cast<std::uint64_t>(before), static_cast<std::uint32_t>(before));
  EXPECT_NEAR(path.bounded(), 2 * before, 1e-6) << "a quarter more without the pause";
}

TEST(SpillBound, says_that_it_has_ended_after_a_minute_without_datagrams) {
  Bursts path = bounded_path();
  EXPECT_TRUE(path.burst(20, 20, 61s));
  EXPECT_EQ(path.bounded(), 0);
  EXPECT_FALSE(path.burst(20, 20, 61s));
}

}  // namespace
}  // namespace lbsp::transport
