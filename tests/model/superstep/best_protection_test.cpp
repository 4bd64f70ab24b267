#include "model/superstep/best_protection.hpp"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"

#include "model/superstep/prediction.hpp"
#include "model/superstep/rounding.hpp"
#include "tests/model/superstep/known_protocol.hpp"

namespace lbsp::model::superstep {
namespace {

constexpr Means only_copies{.copies = true, .coded = false};

Superstep superstep_of(double loss, int segments, double segment_seconds) {
  return {8, {.round_trip = 0.05, .loss = loss}, {{7, segments, segment_seconds}}};
}

Choice choice_for(const Superstep& superstep, const Means& means = {}) {
  return {coarse(rounded(superstep)), means, known_protocol()};
}

int copies_on(const Choice& choice, int segments, double loss) {
  return choice.adapted(segments, rounded(Path{.round_trip = 0.05, .loss = loss}), known_protocol()).copies;
}

TEST(Choice, keeps_its_protection_on_the_path_that_it_was_made_for) {
  for (const int segments : {1, 5, 100}) {
    const Choice choice = choice_for(superstep_of(0.05, segments, 1e-4));
    EXPECT_EQ(
        choice.adapted(choice.superstep().messages[0].segments, choice.superstep().path, known_protocol()),
        choice.protection()[0]);
  }
}

TEST(Choice, keeps_its_copies_also_where_a_copy_after_a_lost_one_hardly_helps) {
  Superstep superstep = superstep_of(0.3, 1, 1e-5);
  superstep.path.loss_after_loss = 0.85;
  const Choice choice = choice_for(superstep);
  ASSERT_GT(choice.protection()[0].copies, 1);
  EXPECT_EQ(choice.adapted(1, choice.superstep().path, known_protocol()), choice.protection()[0]);
}

TEST(Choice, has_no_more_redundancy_than_there_may_be_however_bad_the_path_is) {
  const Choice choice = choice_for(superstep_of(0.05, 100, 1e-4));
  ASSERT_GT(choice.protection()[0].repair_segments, 0);
  EXPECT_EQ(copies_on(choice_for(superstep_of(0.02, 1, 1e-5)), 1, 0.9), 16);
  const Path hopeless{.round_trip = 0.05, .loss = 0.9};
  EXPECT_EQ(choice.adapted(100, rounded(hopeless), known_protocol()).repair_segments, 128);
}

TEST(Choice, copies_short_messages_as_often_as_their_own_path_asks_for) {
  const Choice choice = choice_for(superstep_of(0.02, 1, 1e-5));
  const int usual = choice.protection()[0].copies;
  ASSERT_GT(usual, 1);
  EXPECT_GT(copies_on(choice, 1, 0.2), usual);
  EXPECT_LT(copies_on(choice, 1, 1e-4), usual);
  EXPECT_EQ(copies_on(choice, 1, 0), 1);
  // 0.2^k must be 1.5 times 0.02^usual or less.
  int enough = 1;
  while (std::pow(rounded(Path{.loss = 0.2}).loss, enough) >
         1.5 * std::pow(choice.superstep().path.loss, usual))
    ++enough;
  EXPECT_EQ(copies_on(choice, 1, 0.2), enough);
}

TEST(Choice, copies_a_single_segment_on_a_bad_path_though_it_is_not_worth_it_on_others) {
  const Choice choice = choice_for(superstep_of(1e-5, 1, 0.01));
  ASSERT_EQ(choice.protection()[0].copies, 1);
  EXPECT_GT(copies_on(choice, 1, 0.2), 1);
}

TEST(Choice, copies_messages_of_several_segments_only_if_they_are_copied_elsewhere) {
  const Choice once = choice_for(superstep_of(0.001, 60, 1e-2), only_copies);
  ASSERT_EQ(once.protection()[0].copies, 1);
  EXPECT_EQ(copies_on(once, 60, 0.2), 1);
  EXPECT_EQ(copies_on(once, 2, 0.2), 1);
  bool seen = false;
  for (double loss = 1e-4; loss < 0.1; loss *= 1.5) {
    const Choice twice = choice_for(superstep_of(loss, 3, 2e-4), only_copies);
    if (twice.protection()[0].copies != 2) continue;
    seen = true;
    EXPECT_GT(copies_on(twice, 3, 0.3), 2) << loss;
  }
  EXPECT_TRUE(seen);
}

TEST(Choice, protects_the_same_end_of_messages_of_another_length) {
  for (double loss = 0.01; loss < 0.2; loss *= 1.3) {
    const Choice choice = choice_for(superstep_of(loss, 2000, 1e-4));
    const Messages& like = choice.superstep().messages[0];
    const Protection chosen = choice.protection()[0];
    if (chosen.first_protected == 0) continue;
    const int tail = like.segments - chosen.first_protected;
    const Protection other = choice.adapted(like.segments + 17, choice.superstep().path, known_protocol());
    EXPECT_EQ(other.first_protected, chosen.first_protected + 17);
    EXPECT_EQ(choice.adapted(tail, choice.superstep().path, known_protocol()).first_protected, 0);
    return;
  }
  FAIL() << "no loss made a protected tail worth while";
}

TEST(BestProtection, is_one_for_each_kind_of_message) {
  Superstep superstep = superstep_of(0.05, 1, 1e-5);
  superstep.messages.push_back({3, 50, 1e-4});
  const auto best = best_protection(superstep, {}, known_protocol());
  ASSERT_EQ(best.size(), 2U);
  EXPECT_GT(best[0].copies, 1);
  EXPECT_GT(best[1].repair_segments, 0);
}

/// A lost datagram is found by a timer there, which takes hundreds of round trips.
TEST(Choice, copies_what_may_be_lost_on_a_fast_link) {
  for (const double round_trip : {5e-6, 2e-5, 4e-5, 1e-4, 1e-3}) {
    const Superstep lossy{4, {.round_trip = round_trip, .loss = 0.1}, {{3, 1, 1e-6}}};
    const Protocol protocol = known_protocol();
    const double alone = predict(lossy, std::vector<Protection>{{}}, protocol).seconds;
    const double once_late = 1 - std::pow(0.9, 12);
    EXPECT_GT(alone, once_late * protocol.timing.timer_granularity) << round_trip;
    EXPECT_LT(alone, 3 * (round_trip + 2 * protocol.timing.timer_granularity)) << round_trip;
    const Choice choice = choice_for(lossy, only_copies);
    EXPECT_GE(choice.protection()[0].copies, 3) << round_trip;
    EXPECT_LT(predict(lossy, choice.protection(), protocol).seconds, alone / 3) << round_trip;
  }
}

}  // namespace
}  // namespace lbsp::model::superstep
