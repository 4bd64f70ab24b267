#include "transport/paths/heavy_loss.hpp"

#include <gtest/gtest.h>
#include <random>

#include "transport/finder/rate_finder.hpp"

namespace lbsp::transport {
namespace {

using Verdict = HeavyLoss::Trial::Verdict;

/// Of an epoch of 256 datagrams whose losses come in short runs.
constexpr double error = 0.036;

Verdict verdict(double before, double since) {
  HeavyLoss::Trial trial;
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(trial.add({before, error}), Verdict::open);
  EXPECT_EQ(trial.add({before, error}), Verdict::lower);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(trial.add({since, error}), Verdict::open);
  return trial.add({since, error});
}

TEST(HeavyLoss, lasts_after_three_epochs_in_a_row) {
  HeavyLoss heavy;
  for (const double loss : {0.4, 0.4, 0.3, 0.4, 0.4}) {
    heavy.note(loss);
    EXPECT_FALSE(heavy.lasts());
  }
  heavy.note(0.31);
  EXPECT_TRUE(heavy.lasts());
}

TEST(HeavyLoss, is_a_flood_if_less_is_lost_of_a_quarter_of_the_rate) {
  EXPECT_EQ(verdict(0.25, 0.31), Verdict::right) << "four send as much, and one of them a quarter of it";
  EXPECT_EQ(verdict(0.25, 0.26), Verdict::mistaken);
  EXPECT_EQ(verdict(0.25, 0.28), Verdict::mistaken) << "chance";
}

/// Behind a policer, the six epochs of a quarter of the rate are several seconds.
TEST(HeavyLoss, is_known_after_one_epoch_if_nothing_like_it_is_lost_of_a_quarter) {
  HeavyLoss::Trial trial;
  for (int i = 0; i < 6; ++i)
    trial.add({0.35, error});
  EXPECT_EQ(trial.add({0.6, error}), Verdict::open) << "less than half of what was lost";
  EXPECT_EQ(trial.add({1, error}), Verdict::right);
}

/// What a rate that has to be found comes to, if a part of whatever is sent is lost.
double rate_after(int epochs, double own_loss) {
  RateFinder finder(megabits_per_second(100), megabits_per_second(100.001), 0.05);
  for (int i = 0; i < epochs; ++i) {
    const auto arrived = static_cast<std::uint64_t>(1000 * (1 - own_loss));
    finder.add({.sent = 1000,
                .arrived = arrived,
                .sending = std::chrono::milliseconds{100},
                .arriving = std::chrono::milliseconds{100}});
  }
  return finder.rate().value * 8e-6;
}

/// Of the rate that is known to be right, what was sent on average in so many epochs.
double part_used_of(int epochs, double own_loss, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::bernoulli_distribution arrives(1 - own_loss);
  const BytesPerSecond right = megabits_per_second(100);
  RateFinder finder(right, megabits_per_second(100.001), 0.05);
  double seconds = 0;
  for (int i = 0; i < epochs; ++i) {
    std::uint64_t arrived = 0;
    for (std::uint64_t datagram = 0; datagram < RateFinder::packets_per_epoch; ++datagram)
      if (arrives(random)) ++arrived;
    seconds += right.value / finder.rate().value;
    finder.add({.sent = RateFinder::packets_per_epoch,
                .arrived = arrived,
                .sending = std::chrono::milliseconds{30},
                .arriving = std::chrono::milliseconds{30}});
  }
  return epochs / seconds;
}

TEST(HeavyLoss, that_stays_whatever_is_sent_is_the_paths_own_after_one_trial) {
  for (const double own_loss : {0.2, 0.35, 0.5, 0.8})
    EXPECT_NEAR(rate_after(40, own_loss), 100, 0.01) << own_loss;
}

/// Losses come by chance. A rate that the network carries is not to fall for them but for one trial, which costs 0.12
/// of 150 epochs.
TEST(HeavyLoss, that_comes_by_chance_costs_little_more_than_one_trial) {
  for (const double own_loss : {0.31, 0.35, 0.4, 0.5}) {
    constexpr std::uint64_t seeds = 20;
    double mean = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
      mean += part_used_of(150, own_loss, seed) / seeds;
    EXPECT_GT(mean, 0.8) << own_loss;
  }
}

}  // namespace
}  // namespace lbsp::transport
