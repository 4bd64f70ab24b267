#include "model/superstep/rounding.hpp"

#include "gtest/gtest.h"

namespace lbsp::model::superstep {
namespace {

Superstep some(int segments = 10) {
  return {8,
          {.round_trip = 0.05, .round_trip_variation = 1e-3, .loss = 0.05, .loss_after_loss = 0.2},
          {{7, segments, 1e-4}}};
}

TEST(Rounding, moves_losses_by_five_per_cent_and_times_by_one_at_most) {
  for (const double value : {1e-5, 0.003, 0.0271, 0.2}) {
    const Path path = rounded(Path{.round_trip = value, .loss = value, .loss_after_loss = 2 * value});
    EXPECT_NEAR(path.round_trip / value, 1, 0.0101);
    EXPECT_NEAR(path.loss / value, 1, 0.05);
    EXPECT_NEAR(path.lost_again() / (2 * value), 1, 0.05);
    EXPECT_EQ(rounded(path).loss, path.loss);
    EXPECT_EQ(rounded(path).round_trip, path.round_trip);
  }
}

TEST(Rounding, takes_one_loss_in_a_million_for_none_and_ninety_per_cent_for_the_most) {
  EXPECT_EQ(rounded(Path{.loss = 0.99e-6}).loss, 0);
  EXPECT_GT(rounded(Path{.loss = 1.01e-6}).loss, 0);
  EXPECT_EQ(rounded(Path{.loss = 0.97}).loss, 0.9);
  EXPECT_EQ(rounded(Path{.loss = 0.3, .loss_after_loss = 0.1}).lost_again(), rounded(Path{.loss = 0.3}).loss);
}

TEST(Rounding, keeps_what_all_messages_take_to_send) {
  const Superstep mixed{30, {}, {{1, 102, 1e-4}, {2, 103, 1e-4}, {5, 1, 1e-5}, {1, 16, 1e-4}}};
  const Superstep fewer = rounded(mixed);
  ASSERT_EQ(fewer.messages.size(), 3U);
  EXPECT_EQ(fewer.messages[0].segments, 1);
  EXPECT_EQ(fewer.messages[0].per_rank, 5);
  EXPECT_EQ(fewer.messages[1].segments, 16);
  EXPECT_EQ(fewer.messages[2].per_rank, 3);
  double seconds = 0;
  for (const Messages& each : fewer.messages)
    seconds += each.per_rank * each.segments * each.segment_seconds;
  EXPECT_NEAR(seconds, 308e-4 + 5e-5 + 16e-4, 0.01 * seconds);
}

TEST(Rounding, takes_lengths_together_where_there_are_more_than_four) {
  Superstep many = some();
  many.messages.clear();
  for (int segments = 1; segments <= 256; segments *= 2)
    many.messages.push_back({1, segments, 1e-4});
  EXPECT_LE(rounded(many).messages.size(), 5U);
  EXPECT_EQ(rounded(many).messages.front().segments, 1);
  many.messages.resize(4);
  EXPECT_EQ(rounded(many).messages.size(), 4U);
}

TEST(Rounding, is_coarser_for_long_messages_only) {
  EXPECT_EQ(coarse(rounded(some(31))), rounded(some(31)));
  EXPECT_NE(coarse(rounded(some(40))), rounded(some(40)));
  const Superstep once = coarse(rounded(some(40)));
  EXPECT_EQ(coarse(once), once);
  EXPECT_NEAR(once.path.loss / 0.05, 1, 0.21);
  EXPECT_NEAR(once.path.round_trip / 0.05, 1, 0.14);
  EXPECT_NEAR(once.messages[0].segment_seconds / 1e-4, 1, 0.14);
  EXPECT_GE(once.path.lost_again(), once.path.loss);
}

TEST(Rounding, calls_what_differs_by_twenty_per_cent_alike) {
  const Superstep here = some();
  for (double Path::*value : {&Path::loss, &Path::round_trip}) {
    for (const auto& [factor, alike] : {std::pair{1.19, true}, {1.21, false}}) {
      Superstep other = here;
      other.path.*value *= factor;
      EXPECT_EQ(nearly_alike(here, other), alike);
      EXPECT_EQ(nearly_alike(other, here), alike);
    }
  }
  Superstep other = here;
  other.path.loss_after_loss = 0.2 * 1.21;
  EXPECT_FALSE(nearly_alike(here, other));
  other = here;
  other.messages[0].segment_seconds *= 1.21;
  EXPECT_FALSE(nearly_alike(here, other));
  other.messages[0].segment_seconds = 1.19e-4;
  EXPECT_TRUE(nearly_alike(here, other));
}

TEST(Rounding, calls_variations_alike_that_matter_little) {
  for (const auto& [segments, factor, alike] :
       {std::tuple{10, 1.9, true}, {10, 2.1, false}, {32, 7.9, true}, {32, 8.1, false}}) {
    Superstep other = some(segments);
    other.path.round_trip_variation *= factor;
    EXPECT_EQ(nearly_alike(some(segments), other), alike) << segments << ' ' << factor;
  }
}

TEST(Rounding, tells_other_messages_and_ranks_apart) {
  const Superstep here = some();
  Superstep other = here;
  other.ranks = 9;
  EXPECT_FALSE(nearly_alike(here, other));
  other = here;
  other.messages[0].segments = 11;
  EXPECT_FALSE(nearly_alike(here, other));
  other = here;
  other.messages[0].per_rank = 6;
  EXPECT_FALSE(nearly_alike(here, other));
  other = here;
  other.messages.push_back({1, 20, 1e-4});
  EXPECT_FALSE(nearly_alike(here, other));
}

TEST(Rounding, finds_the_kind_of_the_nearest_length) {
  Superstep of = some();
  of.messages = {{1, 1, 1e-4}, {1, 4, 1e-4}, {1, 100, 1e-4}};
  EXPECT_EQ(kind_of(of, 1), 0U);
  EXPECT_EQ(kind_of(of, 2), 1U);
  EXPECT_EQ(kind_of(of, 19), 1U);
  EXPECT_EQ(kind_of(of, 21), 2U);
  EXPECT_EQ(kind_of(of, 100'000), 2U);
  of.messages = {{1, 4, 1e-4}, {1, 16, 1e-4}};
  EXPECT_EQ(kind_of(of, 8), 0U) << "of two that are as near, the shorter one";
}

TEST(Blocks, share_a_message_s_segments_out_evenly) {
  const Blocks one(128, 128);
  EXPECT_EQ(one.count(), 1);
  EXPECT_EQ(one.longest(), 128);
  const Blocks three(300, 128);
  EXPECT_EQ(three.count(), 3);
  EXPECT_EQ(three.longest(), 100);
  const Blocks uneven(257, 128);
  EXPECT_EQ(uneven.count(), 3);
  EXPECT_EQ(uneven.begin(1), 86);
  EXPECT_EQ(uneven.begin(2), 172);
  EXPECT_EQ(uneven.begin(3), 257);
  EXPECT_EQ(uneven.longest(), 86);
}

}  // namespace
}  // namespace lbsp::model::superstep
