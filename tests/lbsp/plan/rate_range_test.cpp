#include "lbsp/plan/rate_range.hpp"

#include <gtest/gtest.h>

namespace lbsp::plan {
namespace {

using transport::RateSource;

TEST(RateRange, of_a_told_rate_that_stays_is_that_rate) {
  RateRange range;
  EXPECT_EQ(range.factors().usual, 1);
  for (int leg = 0; leg < 3; ++leg)
    range.note({10e6}, RateSource::told);
  EXPECT_DOUBLE_EQ(range.factors().usual, 1);
  EXPECT_DOUBLE_EQ(range.factors().least, 1);
  EXPECT_DOUBLE_EQ(range.factors().most, 1);
}

TEST(RateRange, of_a_guess_goes_down_to_a_quarter_until_it_has_changed) {
  RateRange range;
  for (int leg = 0; leg < 20; ++leg)
    range.note({10e6}, RateSource::guessed);
  EXPECT_DOUBLE_EQ(range.factors().usual, 2);
  EXPECT_DOUBLE_EQ(range.factors().least, 1);
  EXPECT_DOUBLE_EQ(range.factors().most, 4);
  for (int leg = 0; leg < 20; ++leg)
    range.note({9e6}, RateSource::guessed);
  EXPECT_NEAR(range.factors().most, 1, 0.01);
}

TEST(RateRange, of_a_rate_that_was_found_goes_down_by_a_third_until_it_has_changed) {
  RateRange range;
  for (int leg = 0; leg < 20; ++leg)
    range.note({10e6}, RateSource::found);
  EXPECT_DOUBLE_EQ(range.factors().least, 1 / 1.15);
  EXPECT_DOUBLE_EQ(range.factors().most, 1.5);
  for (int leg = 0; leg < 20; ++leg)
    range.note({9e6}, RateSource::found);
  EXPECT_NEAR(range.factors().most, 1, 0.01);
}

TEST(RateRange, goes_on_to_where_the_rate_was_lately) {
  RateRange range;
  range.note({100e6}, RateSource::told);
  range.note({10e6}, RateSource::told);
  EXPECT_LT(range.factors().least, 0.25) << "may be fast again";
  EXPECT_DOUBLE_EQ(range.factors().most, 1) << "has never been slower";
  EXPECT_LT(range.factors().usual, 0.5);
  for (int leg = 0; leg < 20; ++leg)
    range.note({10e6}, RateSource::told);
  EXPECT_NEAR(range.factors().least, 1, 0.01);
}

}  // namespace
}  // namespace lbsp::plan
