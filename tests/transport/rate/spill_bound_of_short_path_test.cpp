#include <gtest/gtest.h>

#include "tests/transport/rate/bursts.hpp"
#include "transport/rate/spill_bound.hpp"

/// Bursts that spill over before policers and shapers of one site.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// On a short path: a round is of 5 ms.
Bursts short_path() {
  Bursts path;
  path.path.round_trip = 1ms;
  path.path.fair = {800 * bytes_of_datagram / 0.005};
  for (int i = 0; i < 2; ++i)
    path.burst(800, 40, 5ms);
  return path;
}

double in_five_milliseconds(const Bursts& path) {
  return path.bound.rate() ? path.bound.rate()->value * 0.005 / bytes_of_datagram : 0;
}

TEST(SpillBoundOfShortPath, waits_for_five_milliseconds) {
  Bursts path = short_path();
  EXPECT_NEAR(in_five_milliseconds(path), 100, 1e-9);
  EXPECT_TRUE(path.bound.fell());
  EXPECT_FALSE(path.burst(100, 100, 4ms));
  EXPECT_FALSE(path.bound.fell()) << "no more";
}

TEST(SpillBoundOfShortPath, has_not_fallen_where_no_less_would_go) {
  Bursts path;
  path.path.round_trip = 1ms;
  path.path.fair = {40 * bytes_of_datagram / 0.005};
  for (int i = 0; i < 2; ++i)
    EXPECT_FALSE(path.burst(100, 20, 5ms));
  EXPECT_FALSE(path.bound.fell());
}

/// Runs of random losses may take most of a few.
TEST(SpillBoundOfShortPath, begins_once_forty_datagrams_went_in_floods) {
  Bursts path;
  path.path.round_trip = 1ms;
  for (int i = 0; i < 4; ++i)
    EXPECT_FALSE(path.burst(8, 1, 5ms)) << i;
  EXPECT_TRUE(path.burst(8, 1, 5ms));
}

TEST(SpillBoundOfShortPath, falls_at_once_only_if_most_is_lost_again) {
  Bursts path = short_path();
  for (int i = 0; i < 2; ++i)
    path.burst(100, 70, 5ms);
  EXPECT_FALSE(path.burst(70, 50, 5ms)) << "that may be chance";
  Bursts flooded = short_path();
  for (int i = 0; i < 2; ++i)
    flooded.burst(100, 40, 5ms);
  EXPECT_TRUE(flooded.burst(40, 16, 5ms));
}

/// Bursts of a few datagrams lose as much at many rates.
TEST(SpillBoundOfShortPath, ends_where_less_than_a_quarter_loses_as_much) {
  Bursts path;
  path.path.round_trip = 1ms;
  path.path.fair = {800 * bytes_of_datagram / 0.005};
  for (int i = 0; i < 2; ++i)
    path.burst(100, 20, 5ms);
  for (int i = 0; i < 10; ++i)
    path.burst(25, 5, 5ms);
  EXPECT_GT(in_five_milliseconds(path), 0) << "a quarter is not less";
  for (int i = 0; i < 2; ++i)
    path.burst(24, 4, 5ms);
  EXPECT_EQ(in_five_milliseconds(path), 0);
}

TEST(SpillBoundOfShortPath, that_was_far_too_high_doubles_again) {
  Bursts path = short_path();
  for (int i = 0; i < 2; ++i)
    path.burst(100, 20, 5ms);
  EXPECT_NEAR(in_five_milliseconds(path), 20, 1e-9);
  path.burst(20, 20, 5ms);
  EXPECT_NEAR(in_five_milliseconds(path), 40, 1e-9);
  EXPECT_FALSE(path.bound.shown()) << "not what is carried";
}

/// It doubled to what flooded before, over and over.
TEST(SpillBoundOfShortPath, that_was_far_too_high_goes_carefully_near_that) {
  Bursts path = short_path();
  for (int i = 0; i < 2; ++i)
    path.burst(100, 40, 5ms);
  EXPECT_NEAR(in_five_milliseconds(path), 40, 1e-9);
  path.burst(40, 40, 5ms);
  EXPECT_NEAR(in_five_milliseconds(path), 40 * 1.1, 1e-9) << "80 of 100 are more than seven tenths";
  path.burst(44, 44, 5ms);
  EXPECT_NEAR(in_five_milliseconds(path), 40 * 1.1 * 1.15, 1e-9);
}

/// Others flooded the link meanwhile, or have gone.
TEST(SpillBoundOfShortPath, has_shown_nothing_where_it_was_too_high_at_unlike_rates) {
  Bursts path = short_path();
  for (int i = 0; i < 2; ++i)
    path.burst(100, 70, 5ms);
  for (int i = 0; i < 2; ++i)
    path.burst(70, 36, 5ms);
  for (int i = 0; i < 2; ++i)
    path.burst(36, 22, 5ms);
  path.burst(22, 22, 5ms);
  EXPECT_FALSE(path.bound.shown()) << "it fell from 70, then from 36";
}

/// What was too high is taken for about the same up to 1.6 times as much.
TEST(SpillBoundOfShortPath, has_shown_what_is_carried_only_if_it_was_too_high_at_about_the_same_rate) {
  const auto shown = [](double higher) {
    Bursts path = short_path();
    for (int i = 0; i < 2; ++i)
      path.burst(100, 70, 5ms);
    while (in_five_milliseconds(path) < higher) {
      path.bound.held();
      path.burst(70, 70, 5ms);
    }
    for (int i = 0; i < 2; ++i)
      path.burst(100, 70, 5ms);
    path.bound.held();
    path.burst(70, 70, 5ms);
    return path.bound.shown().has_value();
  };
  EXPECT_TRUE(shown(120)) << "1.2 times as much";
  EXPECT_FALSE(shown(160));
}

/// A bucket forgives the first steps.
TEST(SpillBoundOfShortPath, that_was_a_little_too_high_goes_on_by_steps_that_become_larger) {
  Bursts path = short_path();
  for (int i = 0; i < 2; ++i)
    path.burst(100, 70, 5ms);
  EXPECT_NEAR(in_five_milliseconds(path), 70, 1e-9);
  path.burst(70, 70, 5ms);
  EXPECT_NEAR(in_five_milliseconds(path), 70 * 1.03, 1e-9);
  path.burst(72, 72, 5ms);
  EXPECT_NEAR(in_five_milliseconds(path), 70 * 1.03 * 1.045, 1e-9);
  EXPECT_FALSE(path.bound.shown()) << "others may have flooded the link";
  for (int i = 0; i < 2; ++i)
    path.burst(100, 75, 5ms);
  path.burst(100, 100, 5ms);
  EXPECT_TRUE(path.bound.shown());
}

/// Short messages with pauses send less in the mean than the bound lets go at once.
TEST(SpillBoundOfShortPath, rises_where_something_waits_for_it) {
  Bursts path = short_path();
  EXPECT_FALSE(path.burst(20, 20, 5ms));
  path.bound.held();
  EXPECT_TRUE(path.burst(20, 20, 5ms));
  EXPECT_FALSE(path.burst(20, 20, 5ms)) << "nothing waits any more";
}

}  // namespace
}  // namespace lbsp::transport
