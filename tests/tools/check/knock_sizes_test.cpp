#include "tools/check/knock_sizes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace lbsp::check {
namespace {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

/// The largest that is answered over a path that carries so many bytes, and loses knocks or answers.
std::uint16_t found_over(std::uint16_t carried, double loss, unsigned seed) {
  std::mt19937 random(seed);
  std::bernoulli_distribution lost(loss);
  KnockSizes sizes;
  for (auto round = sizes.begin_round(); !round.empty(); round = sizes.begin_round())
    for (const std::uint16_t size : round)
      if (size <= carried && !lost(random) && !lost(random)) sizes.answered(size);
  return *sizes.all_answered().rbegin();
}

TEST(KnockSizes, are_the_usual_ones_once_where_all_are_answered) {
  KnockSizes sizes;
  const auto first = sizes.begin_round();
  EXPECT_THAT(first, ElementsAreArray(knock_sizes));
  for (const std::uint16_t size : first)
    sizes.answered(size);
  EXPECT_THAT(sizes.begin_round(), IsEmpty());
}

TEST(KnockSizes, find_what_the_path_carries_and_not_the_usual_size_below_it) {
  for (const int carried : {60, 548, 972, 1100, 1201, 1252, 1391, 1471}) {
    const int found = found_over(static_cast<std::uint16_t>(carried), 0, 1);
    EXPECT_LE(found, carried);
    EXPECT_GE(found, carried - 1) << carried;
  }
}

TEST(KnockSizes, find_it_nearly_where_a_tenth_is_lost) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const int found = found_over(972, 0.1, seed);
    EXPECT_LE(found, 972);
    EXPECT_GE(found, 972 - (1200 - 548) / 8) << seed;
    EXPECT_EQ(found_over(1472, 0.1, seed), 1472) << seed;
  }
}

TEST(KnockSizes, are_no_longer_than_an_ethernet_carries_there) {
  EXPECT_EQ(full_knock_to("192.0.2.7"), 1472);
  EXPECT_EQ(full_knock_to("2001:db8::7"), 1452);
  KnockSizes sizes(full_knock_bytes_ipv6);
  for (const std::uint16_t size : sizes.begin_round()) {
    EXPECT_LE(size, 1452);
    sizes.answered(size);
  }
  EXPECT_TRUE(sizes.is_answered(1452));
  EXPECT_THAT(sizes.begin_round(), IsEmpty());
}

TEST(KnockSizes, end_after_ten_rounds_where_nothing_is_answered) {
  KnockSizes sizes;
  for (int round = 0; round < most_knock_rounds; ++round)
    EXPECT_THAT(sizes.begin_round(), ElementsAreArray(knock_sizes));
  EXPECT_THAT(sizes.begin_round(), IsEmpty());
}

}  // namespace
}  // namespace lbsp::check
