#include <algorithm>
#include <gtest/gtest.h>

#include "transport/finder/rate_finder.hpp"
#include "transport/simulated/network.hpp"
#include "transport/simulated/superstep.hpp"

/// A rate that was found is not taken for granted after a long pause.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr BytesPerSecond begins_with = megabits_per_second(100);
constexpr double a_twentieth = 0.05;

double in_megabits(BytesPerSecond rate) {
  return rate.value * 8e-6;
}

/// A network that queues what it does not carry, for so many epochs.
void send_epochs(RateFinder& finder, double carried_megabits, int epochs) {
  for (int i = 0; i < epochs; ++i) {
    const Duration sending = finder.rate().time_for(3000 * 1400);
    const double excess = std::max(1.0, in_megabits(finder.rate()) / carried_megabits);
    finder.add({3000, 3000, sending, std::chrono::duration_cast<Duration>(excess * sending)});
  }
}

RateFinder finder_on(double carried_megabits) {
  RateFinder finder(begins_with, megabits_per_second(1000), a_twentieth);
  send_epochs(finder, carried_megabits, 200);
  return finder;
}

TEST(RateFading, a_rate_that_fades_rises_after_every_epoch_to_what_it_was) {
  RateFinder finder(begins_with, megabits_per_second(400), a_twentieth);
  send_epochs(finder, 1000, 60);
  EXPECT_TRUE(finder.fade());
  EXPECT_EQ(finder.rate(), megabits_per_second(200));
  send_epochs(finder, 1000, 4);
  EXPECT_EQ(finder.rate(), megabits_per_second(400));
}

TEST(RateFading, ends_at_what_the_rate_began_with) {
  RateFinder finder = finder_on(420);
  while (finder.fade()) {
  }
  EXPECT_EQ(finder.rate(), begins_with);
}

TEST(RateFading, a_faded_rate_does_not_rise_to_what_the_network_carries_no_longer) {
  RateFinder finder = finder_on(420);
  while (finder.fade()) {
  }
  for (int epoch = 0; epoch < 20; ++epoch) {
    send_epochs(finder, 150, 1);
    EXPECT_LT(in_megabits(finder.rate()), 1.35 * 150) << epoch;
  }
}

TEST(RateFading, a_rate_that_was_told_or_has_fallen_stays) {
  RateFinder told(begins_with, begins_with, a_twentieth);
  EXPECT_FALSE(told.fade());
  EXPECT_FALSE(finder_on(50).fade());
}

TEST(RateFading, a_rate_that_is_lowered_rises_from_there_but_not_to_what_the_network_does_not_carry) {
  for (const double carried : {150., 2.5}) {
    RateFinder finder(begins_with, megabits_per_second(1000), a_twentieth);
    EXPECT_TRUE(finder.lower_to(megabits_per_second(2), RateFinder::ShownBy::bursts));
    EXPECT_FALSE(finder.lower_to(megabits_per_second(3), RateFinder::ShownBy::bursts)) << "is lower already";
    EXPECT_EQ(finder.rate(), megabits_per_second(2));
    send_epochs(finder, carried, 40);
    EXPECT_GT(in_megabits(finder.rate()), 0.7 * carried) << carried;
    EXPECT_LT(in_megabits(finder.rate()), 1.3 * carried) << carried;
  }
}

TEST(RateFading, a_rate_that_was_told_is_not_lowered) {
  RateFinder told(begins_with, begins_with, a_twentieth);
  EXPECT_FALSE(told.lower_to(megabits_per_second(2), RateFinder::ShownBy::bursts));
}

TEST(RateFading, a_rate_that_was_told_is_looked_for_where_bursts_spill_at_far_lower_ones) {
  RateFinder told(begins_with, begins_with, a_twentieth);
  ASSERT_TRUE(told.lower_to(megabits_per_second(2), RateFinder::ShownBy::spill));
  EXPECT_EQ(told.rate(), megabits_per_second(2));
  send_epochs(told, 1.8, 40);
  EXPECT_LT(in_megabits(told.rate()), 2.4);
}

/// Only a rate below the proven one is a sign of others.
TEST(RateProven, a_rise_that_is_undone_returns_to_what_was_proven) {
  RateFinder finder(begins_with, megabits_per_second(1000), a_twentieth);
  send_epochs(finder, 110, 1);
  EXPECT_EQ(finder.rate(), megabits_per_second(125));
  EXPECT_EQ(finder.proven(), begins_with);
  send_epochs(finder, 110, 1);
  EXPECT_EQ(finder.rate(), begins_with);
  EXPECT_EQ(finder.proven(), begins_with);
}

/// Two ranks send each other 16 MiB over 400 Mbit/s.
class FadingPair : public ::testing::Test {
 protected:
  static SimulationConfig config_of() {
    SimulationConfig config;
    config.size = 2;
    config.options.find_rate = true;
    config.options.rate = begins_with;
    config.wan = parse_wan_spec("rtt=20ms,rate=400Mbit,queue=1MiB");
    return config;
  }
  double superstep() {
    const Instant begin = network_.now();
    const auto outcome = run_superstep(network_, {{{}, Bytes(16 << 20)}, {Bytes(16 << 20), {}}});
    return seconds(*std::ranges::max_element(outcome.completed) - begin);
  }
  void pause(Duration time) {
    const Instant end = network_.now() + time;
    network_.run_until([] { return false; }, end);
  }
  double rate_after_a_word() {
    run_superstep(network_, {{{}, Bytes(1000)}, {Bytes(1000), {}}});
    return in_megabits(network_.endpoint(0).network().rate);
  }

  SimulatedNetwork network_{config_of()};
};

TEST_F(FadingPair, keeps_its_rate_for_ten_seconds_and_has_half_of_it_each_five_seconds_after_that) {
  for (int i = 0; i < 8; ++i)
    superstep();
  const double found = rate_after_a_word();
  ASSERT_GT(found, 300);
  pause(9s);
  EXPECT_GT(rate_after_a_word(), 0.9 * found);
  pause(11s);
  EXPECT_LT(rate_after_a_word(), 0.6 * found);
  EXPECT_GT(rate_after_a_word(), 0.4 * found);
  pause(1h);
  EXPECT_EQ(rate_after_a_word(), 100);
}

TEST_F(FadingPair, is_soon_as_fast_as_before) {
  for (int i = 0; i < 8; ++i)
    superstep();
  const double before = superstep();
  pause(1min);
  EXPECT_LT(superstep(), before + 0.2);
  superstep();
  EXPECT_LT(superstep(), 1.01 * before);
}

}  // namespace
}  // namespace lbsp::transport
