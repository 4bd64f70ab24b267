#include "transport/probe/statistics.hpp"

#include <gtest/gtest.h>

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
