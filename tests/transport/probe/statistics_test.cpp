#include "transport/probe/statistics.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "transport/impairment/random.hpp"
#include "transport/probe/schedule.hpp"

namespace lbsp::transport::probe {
namespace {

// Values of statsmodels.stats.proportion.proportion_confint(…, method="wilson").
TEST(WilsonInterval, agrees_with_published_values) {
  const auto tenth = wilson_interval(10, 100);
  EXPECT_NEAR(tenth.low, 0.05522914, 1e-8);
  EXPECT_NEAR(tenth.high, 0.17436566, 1e-8);
  const auto few = wilson_interval(1, 10);
  EXPECT_NEAR(few.low, 0.01787621, 1e-8);
  EXPECT_NEAR(few.high, 0.40415003, 1e-8);
}

TEST(WilsonInterval, is_sensible_at_the_ends) {
  EXPECT_EQ(wilson_interval(0, 50).low, 0);
  EXPECT_GT(wilson_interval(0, 50).high, 0.05);
  EXPECT_LT(wilson_interval(50, 50).low, 0.95);
  EXPECT_EQ(wilson_interval(50, 50).high, 1);
  EXPECT_EQ(wilson_interval(0, 0).low, 0);
  EXPECT_EQ(wilson_interval(0, 0).high, 1);
}

TEST(WilsonInterval, of_losses_in_runs_is_that_of_fewer_losses_one_by_one) {
  const auto alone = wilson_interval(50, 1000);
  const auto independent = wilson_interval(50, 1000, 1 / 0.95);
  EXPECT_NEAR(independent.low, alone.low, 1e-12);
  EXPECT_NEAR(independent.high, alone.high, 1e-12);
  const auto in_runs = wilson_interval(660, 6600, 7.5 / 1.8);  // 2 · burst · 0.9 - 1 = 6.5
  const auto fewer = wilson_interval(100, 1000, 1 / 0.9);
  EXPECT_LT(in_runs.low, wilson_interval(660, 6600).low);
  EXPECT_NEAR(in_runs.low, fewer.low, 5e-4);
  EXPECT_NEAR(in_runs.high, fewer.high, 5e-4);
  EXPECT_GT(wilson_interval(0, 200, 4).high, wilson_interval(0, 200).high);
}

/// How often the interval holds the true loss, where each of 6 sizes loses 5 % of 200 datagrams in runs of 4.
double coverage(bool with_runs) {
  constexpr double loss = 0.05, burst = 4;
  constexpr int measurements = 2000, sizes = 6, count = 200;
  Random random(7);
  int held = 0;
  for (int i = 0; i < measurements; ++i) {
    std::vector<LossSummary> all(sizes);
    LossSummary sum;
    for (LossSummary& size : all) {
      bool lost = random.happens(loss);
      for (int sent = 0; sent < count; ++sent) {
        const bool before = sent > 0 && lost;
        if (sent > 0) lost = random.happens(lost ? 1 - 1 / burst : loss / (burst * (1 - loss)));
        size.lost += lost ? 1 : 0;
        size.runs += lost && !before ? 1 : 0;
      }
      sum.lost += size.lost;
      sum.runs += size.runs;
    }
    const double seen = with_runs ? std::max(sum.burst(), all[0].burst()) : 1;
    const auto interval = wilson_interval(all[0].lost, count, seen);
    held += interval.low <= loss && loss <= interval.high ? 1 : 0;
  }
  return static_cast<double>(held) / measurements;
}

TEST(WilsonInterval, holds_a_loss_that_comes_in_runs_as_often_as_it_says) {
  EXPECT_LT(coverage(false), 0.75);
  EXPECT_GT(coverage(true), 0.93);
}

TEST(Quantile, interpolates) {
  std::vector<double> sample{4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(quantile(sample, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(sample, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile(sample, 1), 4);
  std::vector<double> none;
  EXPECT_EQ(quantile(none, 0.5), 0);
}

}  // namespace
}  // namespace lbsp::transport::probe
