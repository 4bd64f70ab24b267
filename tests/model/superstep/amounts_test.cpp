#include "model/superstep/amounts.hpp"

#include "gtest/gtest.h"

#include "tests/model/superstep/known_protocol.hpp"

namespace lbsp::model::superstep {
namespace {

constexpr Means both{};

/// Of 8 ranks, each sends one message to every other; a tenth is lost, the round trip takes 50 ms.
Superstep all_to_all(int segments, double segment_seconds = 1e-4) {
  return {8, {.round_trip = 0.05, .loss = 0.1}, {{7, segments, segment_seconds}}};
}

TEST(Amounts, of_coded_segments_begin_with_the_mean_loss_and_end_eight_deviations_above) {
  const Superstep superstep = all_to_all(100);
  const Amounts amounts(superstep, both, known_protocol());
  // 10 of 100 are lost, with a deviation of 3, and of the coded ones a tenth: 10 / 0.9 … 34 / 0.9.
  EXPECT_EQ(amounts.coded(superstep.messages[0]),
            (std::vector<int>{12, 14, 17, 18, 20, 22, 23, 25, 27, 30, 33, 38}));
}

TEST(Amounts, of_coded_segments_are_each_shown_once_and_within_the_limits) {
  const Superstep two = all_to_all(2);
  EXPECT_EQ(Amounts(two, both, known_protocol()).coded(two.messages[0]), (std::vector<int>{1, 2, 3, 4}));
  Superstep bad = all_to_all(128);
  bad.path.loss = 0.5;
  const std::vector<int> amounts = Amounts(bad, both, known_protocol()).coded(bad.messages[0]);
  EXPECT_EQ(amounts, std::vector<int>{128});
}

TEST(Amounts, of_copies_are_one_where_a_copy_costs_more_than_it_can_gain) {
  Superstep dear = all_to_all(1, 10.);
  dear.path.loss = 0.5;
  dear.path.loss_after_loss = 0.8;
  EXPECT_EQ(Amounts(dear, both, known_protocol()).usual_copies(dear.messages[0]).copies, 1);
}

TEST(Amounts, of_copies_are_all_that_there_may_be) {
  const Superstep superstep = all_to_all(1);
  const std::vector<int> copies = Amounts(superstep, both, known_protocol()).copies();
  EXPECT_EQ(copies.size(), 16U);
  EXPECT_EQ(copies.front(), 1);
  EXPECT_EQ(copies.back(), 16);
}

TEST(Amounts, are_looked_at_longer_where_losses_come_in_runs) {
  Superstep superstep = all_to_all(10);
  EXPECT_EQ(Amounts(superstep, both, known_protocol()).patience(), 2);
  for (const double again : {0.2, 0.5}) {
    superstep.path.loss_after_loss = again;
    EXPECT_EQ(Amounts(superstep, both, known_protocol()).patience(), 4) << again;
  }
}

TEST(Amounts, may_be_copies_of_messages_of_fewer_than_eight_segments_or_where_nothing_can_be_coded) {
  const auto may_copy = [](int segments, const Means& means) {
    const Superstep superstep = all_to_all(segments);
    return Amounts(superstep, means, known_protocol()).may_copy(superstep.messages[0]);
  };
  EXPECT_TRUE(may_copy(1, {.copies = false}));
  EXPECT_TRUE(may_copy(7, both));
  EXPECT_FALSE(may_copy(8, both));
  EXPECT_FALSE(may_copy(7, {.copies = false}));
  EXPECT_TRUE(may_copy(8, {.coded = false}));
}

TEST(UsualProtection, is_so_many_copies_that_one_more_costs_what_it_saves) {
  // ln(8 · 50 ms · ln 10 / 100 µs) / ln 10 = 3.96
  EXPECT_EQ(usual_protection(all_to_all(1), both, known_protocol()), (std::vector<Protection>{{4}}));
  // A copy is lost with 0.4 if the one before was: ln(8 · 50 ms · -ln 0.4 / 4 / 100 µs) / -ln 0.4
  Superstep together = all_to_all(1);
  together.path.loss_after_loss = 0.4;
  EXPECT_EQ(usual_protection(together, both, known_protocol()), (std::vector<Protection>{{7}}));
}

TEST(UsualProtection, is_so_many_coded_segments_that_one_deviation_more_costs_what_it_saves) {
  const auto coded = [](double segment_seconds) {
    return usual_protection(all_to_all(100, segment_seconds), both, known_protocol()).front();
  };
  // 70 ms to send, of which 5/7 go in the last round trip: √(2·ln(8·50 ms·5/7 / (3·100 µs) / √2π)) = 3.45
  EXPECT_EQ(coded(1e-4), (Protection{1, 23, 0, true}));
  // All go in the last round trip: √(2·ln(8·50 ms / (3·10 µs) / √2π)) = 4.14
  EXPECT_EQ(coded(1e-5), (Protection{1, 25, 0, true}));
}

TEST(UsualProtection, is_none_where_nothing_is_lost) {
  Superstep lossless = all_to_all(100);
  lossless.path.loss = 0;
  EXPECT_EQ(usual_protection(lossless, both, known_protocol()), (std::vector<Protection>{{1, 0, 0, true}}));
}

}  // namespace
}  // namespace lbsp::model::superstep
