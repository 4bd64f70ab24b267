#include "transport/finder/policed_sharing.hpp"

#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

constexpr BytesPerSecond most{1e6};

TEST(PolicedSharing, begins_anew_in_a_flood_from_the_same_rate_whatever_it_was) {
  const auto high = PolicedSharing::begin({0.98e6}, 0.5, most);
  const auto lower = PolicedSharing::begin({0.6e6}, 0.35, most);
  ASSERT_TRUE(high && lower);
  EXPECT_EQ(*high, *lower);
  EXPECT_FALSE(PolicedSharing::begin({0.98e6}, 0.1, most)) << "no flood";
  EXPECT_FALSE(PolicedSharing::begin(*high, 0.5, most)) << "as low already";
}

TEST(PolicedSharing, begins_no_higher_than_what_came_through) {
  const auto low = PolicedSharing::begin({1e6}, 0.9, most);
  ASSERT_TRUE(low);
  EXPECT_LT(low->value, 0.1e6) << "the link may have become slower";
}

TEST(PolicedSharing, rises_in_few_steps_to_just_below_half) {
  BytesPerSecond rate{0.25e6};
  int steps = 0;
  while (const auto higher = PolicedSharing::step(rate, most)) {
    rate = *higher;
    ++steps;
  }
  EXPECT_LE(steps, 4);
  EXPECT_GT(rate.value, 0.45e6);
  EXPECT_LT(rate.value, 0.5e6);
}

TEST(PolicedSharing, grows_by_as_much_in_the_same_time_whoever_has_how_much) {
  const BytesPerSecond high{0.8e6}, low{0.4e6};
  const double of_high = PolicedSharing::grow(high, 4, most)->value - high.value;
  const double of_low = PolicedSharing::grow(low, 2, most)->value - low.value;
  EXPECT_NEAR(of_low, 2 * of_high, 1) << "its epochs last twice as long";
}

TEST(PolicedSharing, grows_faster_once_nothing_was_lost_for_long) {
  const BytesPerSecond rate{0.5e6};
  EXPECT_FALSE(PolicedSharing::grow(rate, 1, most));
  EXPECT_EQ(*PolicedSharing::grow(rate, 2, most), *PolicedSharing::grow(rate, 8, most));
  EXPECT_GT(*PolicedSharing::grow(rate, 24, most), *PolicedSharing::grow(rate, 8, most));
}

}  // namespace
}  // namespace lbsp::transport
