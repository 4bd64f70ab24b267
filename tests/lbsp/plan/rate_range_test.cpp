#include "lbsp/plan/rate_range.hpp"

#include <cmath>
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

TEST(RateRange, of_a_guess_goes_up_in_a_long_first_leg) {
  RateRange range;
  range.note({10e6}, RateSource::guessed);
  EXPECT_NEAR(range.factors(0.001).least, 1, 0.01) << "too short";
  EXPECT_LT(range.factors(1).least, 0.4);
  EXPECT_DOUBLE_EQ(range.factors(1).most, 4);
  range.note({10e6}, RateSource::guessed);
  EXPECT_DOUBLE_EQ(range.factors(1).least, 1) << "it has not risen";
}

TEST(RateRange, of_a_rate_that_rises_fast_goes_on_with_that_until_it_has_been_too_high) {
  RateRange range;
  range.note({10e6}, RateSource::guessed);
  range.note({20e6}, RateSource::found);
  EXPECT_DOUBLE_EQ(range.factors().usual, std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(range.factors().most, 2);
  range.note({10e6}, RateSource::found);
  range.note({20e6}, RateSource::found);
  EXPECT_GT(range.factors().usual, 1);
}

/// As precise as a few datagrams are, however little is known of the host's rate.
TEST(RateRange, of_what_bursts_have_shown_is_about_that) {
  RateRange range;
  range.note({10e6}, RateSource::shown);
  EXPECT_DOUBLE_EQ(range.factors().usual, 1);
  EXPECT_DOUBLE_EQ(range.factors().least, 1 / 1.15);
  EXPECT_DOUBLE_EQ(range.factors().most, 1.15);
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
