#include "transport/finder/rate_finder.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "transport/rate/rate_control.hpp"

/// What follows for the rate from what becomes of about 256 datagrams.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// Bursts that have gone before an echo can come.
TEST(RateFinder, of_a_told_rate_heeds_what_is_lost_between_trains) {
  const auto bursts = [](RateFinder& finder, int count) {
    bool changes = false;
    for (int burst = 0; burst < count; ++burst)
      changes = finder.add_untimed(64, 12, false);
    return changes;
  };
  RateFinder told(megabits_per_second(100), megabits_per_second(100), 0.05);
  EXPECT_FALSE(bursts(told, 8));
  EXPECT_TRUE(bursts(told, 8)) << "a second time is no chance";
  EXPECT_LT(told.rate().value * 8e-6, 25);
  RateFinder found(megabits_per_second(100), megabits_per_second(1000), 0.05);
  EXPECT_FALSE(bursts(found, 100));
}

TEST(RateFinder, of_a_found_rate_that_holds_up_short_trains_rises_as_long_as_no_more_is_lost) {
  const auto epochs = [](RateFinder& finder, int count, std::uint64_t arrived, bool holds_up = true) {
    for (int train = 0; train < 64 * count; ++train)
      finder.add_untimed(4, arrived, holds_up);
    return finder.rate().value * 8e-6;
  };
  RateFinder finder(megabits_per_second(100), megabits_per_second(1000), 0.05);
  EXPECT_EQ(epochs(finder, 20, 4, false), 100);
  EXPECT_GT(epochs(finder, 4, 4), 200);
  EXPECT_LT(epochs(finder, 8, 2), 130);
  // What has been lower than at first is no fast link.
  EXPECT_TRUE(finder.lower_to(megabits_per_second(50), RateFinder::ShownBy::first_flight));
  EXPECT_EQ(epochs(finder, 20, 4), 50);
}

/// Tells a finder of epochs so large that chance moves them by little.
class Finder {
 public:
  Finder(double megabits, double most_megabits, double usual_loss)
      : finder_(megabits_per_second(megabits), megabits_per_second(most_megabits), usual_loss) {}

  /// Returns the rate that follows. `late`: by which the queue grew meanwhile.
  double epoch(double loss, Duration late = 0ms, Duration sending = 10s) {
    const auto arrived = static_cast<std::uint64_t>(std::lround(1e6 * (1 - loss)));
    finder_.add({.sent = 1'000'000, .arrived = arrived, .sending = sending, .arriving = sending + late});
    return finder_.rate().value * 8e-6;
  }
  /// How many such epochs it takes until the rate changes.
  int until_change(double loss) {
    const double before = finder_.rate().value * 8e-6;
    int count = 1;
    while (epoch(loss) == before && count < 1000)
      ++count;
    return count;
  }
  EpochMeter& meter() { return finder_.meter(); }

 private:
  RateFinder finder_;
};

constexpr double usual_loss = 0.05;
constexpr double too_much = 0.12;  ///< 0.926 of what is usual comes through, and 0.93 is enough
constexpr TrainPart carried_whole{.sent = 300, .arrived = 300, .sending = 100ms, .arriving = 100ms};

TEST(RateFinder, rises_again_after_longer_waits_while_the_higher_rate_is_not_carried) {
  Finder finder(100, 1000, usual_loss);
  EXPECT_EQ(finder.until_change(usual_loss), 1);
  for (const int wait : {8, 16, 16}) {
    EXPECT_EQ(finder.epoch(usual_loss, 1s), 100) << "at once";
    EXPECT_EQ(finder.until_change(usual_loss), wait + 1);
  }
}

TEST(RateFinder, a_rate_that_was_carried_once_is_not_left_for_one_epoch) {
  Finder finder(100, 125, usual_loss);
  EXPECT_EQ(finder.epoch(usual_loss), 125);
  EXPECT_EQ(finder.epoch(usual_loss), 125);
  EXPECT_EQ(finder.epoch(too_much), 125);
}

TEST(RateFinder, a_rise_is_not_undone_for_what_a_run_of_losses_takes) {
  const auto megabits_after = [](double loss_after_loss) {
    RateFinder finder(megabits_per_second(100), megabits_per_second(1000), usual_loss);
    for (int i = 0; i < 200; ++i)
      finder.meter().losses(0.1, loss_after_loss);
    for (const std::uint64_t arrived : {290U, 252U})
      finder.add({.sent = 300, .arrived = arrived, .sending = 100ms, .arriving = 100ms});
    return finder.rate().value * 8e-6;
  };
  EXPECT_EQ(megabits_after(0.1), 100) << "of losses that come one by one";
  EXPECT_EQ(megabits_after(0.8), 125);
}

TEST(RateFinder, falls_with_the_second_of_two_epochs_that_are_far_too_low) {
  Finder finder(100, 1000, 0);
  finder.epoch(0);
  finder.epoch(0.5);  // back, so that it does not rise for a while
  for (const double loss : {0., 0., 0.5})
    EXPECT_EQ(finder.epoch(loss), 100);
  EXPECT_NEAR(finder.epoch(0.6), 97 * 0.4, 1e-6);
}

TEST(RateFinder, falls_with_the_median_of_three_epochs_that_are_too_low) {
  Finder finder(100, 1000, 0);
  for (const double loss : {0.2, 0.25})
    EXPECT_EQ(finder.epoch(loss), 100);
  EXPECT_NEAR(finder.epoch(0.3), 97 * 0.75, 0.1) << "and hardly more, by chance";
}

TEST(RateFinder, a_queue_that_grows_by_two_milliseconds_or_a_quarter_more_than_usual_counts) {
  const auto carried = [](Duration before, Duration late) {
    Finder finder(100, 125, usual_loss);
    for (int i = 0; i < 100; ++i)
      finder.epoch(usual_loss, before, 20ms);
    finder.epoch(usual_loss, late, 20ms);
    return finder.epoch(usual_loss, late, 20ms) == 125;
  };
  EXPECT_TRUE(carried(0ms, 1900us));
  EXPECT_FALSE(carried(0ms, 2100us));
  EXPECT_TRUE(carried(1900us, 2300us));
  EXPECT_FALSE(carried(1900us, 2500us));
}

TEST(RateFinder, that_less_is_lost_than_usual_does_not_make_up_for_a_queue) {
  Finder finder(100, 1000, usual_loss);
  EXPECT_EQ(finder.epoch(0), 125);
  EXPECT_EQ(finder.epoch(0, 1s), 100) << "0.91 came through in time";
  Finder told(100, 100, usual_loss);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(told.epoch(0, 1s), 100);
  EXPECT_LT(told.epoch(0, 1s), 100);
}

TEST(RateFinder, a_fall_that_helped_lasts_and_counts_as_the_first_epoch_of_the_wait) {
  for (const double most : {100., 1000.}) {
    Finder finder(100, most, 0);
    finder.epoch(0.6);
    const double fallen = finder.epoch(0.6);
    ASSERT_LT(fallen, 50);
    EXPECT_EQ(finder.until_change(0), 9) << "most: " << most;
  }
}

/// 40 came through of 100. Of 38.8, more than the mean of these two parts must: (1 + 0.388) / 2 of the 40.
TEST(RateFinder, a_found_rate_stays_low_only_if_hardly_less_comes_through_than_before) {
  for (const auto& [loss, follows] : {std::pair{0.27, 38.8}, {0.30, 100.}}) {
    Finder finder(100, 1000, 0);
    finder.epoch(0.6);
    ASSERT_NEAR(finder.epoch(0.6), 38.8, 1e-6);
    EXPECT_NEAR(finder.epoch(loss), follows, 1e-6) << loss;
    if (follows < 100) {
      EXPECT_NEAR(finder.epoch(0.30), follows, 1e-6) << "that was decided before";
    }
  }
}

/// A part of 0.42 came through; 0.15 of the rest, 0.087, is the least.
TEST(RateFinder, a_told_rate_stays_low_only_if_a_greater_part_comes_through) {
  for (const auto& [loss, stays] : {std::pair{0.50, true}, {0.55, false}}) {
    Finder told(100, 100, usual_loss);
    told.epoch(0.6);
    const double fallen = told.epoch(0.6);
    EXPECT_EQ(told.epoch(loss), stays ? fallen : 100) << loss;
  }
}

TEST(RateFinder, delay_that_stays_after_a_fall_is_usual_from_then_on) {
  Finder finder(100, 1000, 0);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(finder.epoch(0, 2500ms), 100);
  ASSERT_NEAR(finder.epoch(0, 2500ms), 97 * 0.8, 1e-6);
  EXPECT_EQ(finder.epoch(0, 2500ms), 100);
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(finder.epoch(0, 2500ms), 100);
  EXPECT_EQ(finder.epoch(0, 2500ms), 125);
}

TEST(RateFinder, a_rise_can_be_undone_until_it_is_proven) {
  RateFinder finder(megabits_per_second(100), megabits_per_second(125), 0);
  EXPECT_FALSE(finder.undo_rise());
  finder.add(carried_whole);
  EXPECT_TRUE(finder.undo_rise());
  EXPECT_EQ(finder.rate(), megabits_per_second(100));
  EXPECT_FALSE(finder.undo_rise());
}

TEST(RateFinder, of_a_fall_that_helped_nothing_is_undone_when_more_is_lost_again) {
  Finder told(100, 100, usual_loss);
  told.epoch(0.6);
  const double fallen = told.epoch(0.6);
  EXPECT_EQ(told.epoch(usual_loss), fallen);
  for (int i = 0; i < 3; ++i)
    EXPECT_LE(told.epoch(0.5), fallen);
}

TEST(RateFinder, loss_that_stays_after_a_fall_is_usual_from_then_on) {
  Finder told(100, 100, usual_loss);
  for (int i = 0; i < 3; ++i)
    told.epoch(0.29);
  EXPECT_EQ(told.epoch(0.29), 100);
  for (int i = 0; i < 30; ++i)
    EXPECT_EQ(told.epoch(0.29), 100);
}

/// As long as the two trials take: an epoch, and two times six, of which half at a quarter of the rate.
TEST(RateFinder, loss_of_a_told_rate_that_is_heavy_is_usual_after_a_trial_at_a_quarter_of_it) {
  Finder told(100, 100, usual_loss);
  double least = 100;
  for (int i = 0; i < 20; ++i)
    least = std::min(least, told.epoch(0.5));
  EXPECT_EQ(least, 25);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(told.epoch(0.5), 100);
}

/// Delays that vary explain what is missed, which counts only for a rate that is believed.
TEST(RateFinder, a_told_rate_that_loses_less_where_much_less_is_sent_is_not_believed_until_it_is_carried) {
  Finder told(100, 100, usual_loss);
  for (int i = 0; i < 100; ++i)
    told.meter().varied(50ms);
  const auto after_late_epochs = [&] {
    double rate = 0;
    for (int i = 0; i < 2; ++i)
      rate = told.epoch(usual_loss, 10ms, 100ms);
    return rate;
  };
  told.epoch(0.6);
  const double fallen = told.epoch(0.6);
  ASSERT_LT(fallen, 50);
  EXPECT_EQ(told.epoch(usual_loss), fallen);
  EXPECT_LT(after_late_epochs(), fallen);
  for (int i = 0; i < 200; ++i)
    told.epoch(usual_loss);
  EXPECT_EQ(after_late_epochs(), 100);
}

TEST(RateFinder, what_is_usual_for_a_told_rate_does_not_fall_with_a_lucky_epoch) {
  Finder told(100, 100, usual_loss);
  EXPECT_EQ(told.epoch(0), 100);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(told.epoch(0.09), 100);
}

/// Of a told rate, in whose epochs of 300 datagrams chance moves much.
TEST(RateFinder, what_chance_explains_is_no_reason_to_fall) {
  RateFinder lossy(megabits_per_second(100), megabits_per_second(100), 0.5);
  RateFinder late(megabits_per_second(100), megabits_per_second(100), usual_loss);
  for (int i = 0; i < 100; ++i)
    late.meter().varied(50ms);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(lossy.add({.sent = 300, .arrived = 132, .sending = 100ms, .arriving = 100ms}));
    EXPECT_FALSE(late.add({.sent = 300, .arrived = 300, .sending = 34ms, .arriving = 42ms}));
  }
}

/// Whether a told rate is kept in three epochs after a hundred echoes that were late by `odd` and `even` in turn.
bool kept(double loss_after_loss, Duration odd, Duration even, std::uint32_t arrived, Duration arriving) {
  RateControl control({.rate = megabits_per_second(100)}, usual_loss, Instant{});
  TrainMark last;
  TrainMark mark{.train = 1, .loss = 0.05, .loss_after_loss = loss_after_loss};
  const auto tell = [&](Duration sent, Duration arrives) {
    mark.sent_at += sent;
    mark.arrived_at += static_cast<std::uint32_t>(arrives / 1us);
    control.echoed(last, mark, Instant{});
  };
  for (int i = 0; i < 100; ++i, ++mark.train)
    tell(100ms, 100ms + (i % 2 == 0 ? even : odd));
  for (int i = 0; i < 4; ++i, mark.packets += 300, mark.arrived += arrived)
    tell(34ms, arriving);
  return control.rate() == megabits_per_second(100);
}

TEST(RateControl, tells_its_finder_how_losses_and_delays_vary) {
  EXPECT_TRUE(kept(0.9, 0ms, 0ms, 249, 34ms)) << "17 % are lost, in runs";
  EXPECT_FALSE(kept(0.05, 0ms, 0ms, 249, 34ms));
  EXPECT_TRUE(kept(0.05, 0ms, 50ms, 300, 44ms));
  EXPECT_FALSE(kept(0.05, 10ms, 10ms, 300, 44ms)) << "all were late alike";
}

}  // namespace
}  // namespace lbsp::transport
