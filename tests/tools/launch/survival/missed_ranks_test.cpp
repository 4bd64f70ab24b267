#include "tools/launch/survival/missed_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lbsp::launch::survival {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(MissedRanks, are_lost_when_half_of_all_miss_them) {
  MissedRanks missed;
  for (const Rank from : {0, 1, 2}) {
    EXPECT_THAT(missed.by_half(8), IsEmpty());
    missed.take(from, {.epoch = 0, .ranks = {5}});
  }
  missed.take(3, {.epoch = 0, .ranks = {5, 6}});
  EXPECT_THAT(missed.by_half(8), ElementsAre(5));
}

TEST(MissedRanks, are_not_lost_because_one_that_is_cut_off_misses_one_after_the_other) {
  MissedRanks missed;
  for (const std::vector<Rank>& ranks : std::vector<std::vector<Rank>>{{0}, {0, 1}, {0, 1, 3}}) {
    missed.take(2, {.epoch = 0, .ranks = ranks});
    EXPECT_THAT(missed.by_half(8), IsEmpty());
  }
  missed.take(2, {.epoch = 0, .ranks = {0, 1, 3, 4, 5, 6, 7}});
  EXPECT_THAT(missed.by_any(8), IsEmpty());
}

TEST(MissedRanks, are_explained_by_a_host_that_refused_to_send_in_that_epoch) {
  MissedRanks missed;
  missed.take(1, {.epoch = 2, .ranks = {}, .refusal = {.to = {4, 5}, .error = 1}});
  missed.take(1, {.epoch = 2, .ranks = {}});
  const auto about = [&](Rank rank, std::uint32_t epoch) {
    const auto refusal = missed.refusal_about(rank, epoch);
    return refusal ? std::vector<int>{refusal->from, refusal->to, refusal->error} : std::vector<int>{};
  };
  EXPECT_THAT(about(1, 2), ElementsAre(1, 4, 1));
  EXPECT_THAT(about(5, 2), ElementsAre(1, 5, 1));
  EXPECT_THAT(about(3, 2), IsEmpty());
  EXPECT_THAT(about(1, 3), IsEmpty()) << "of another loss it says nothing";
  missed.take(5, {.epoch = 2, .ranks = {}, .refusal = {.to = {0}, .error = 13}});
  EXPECT_THAT(about(5, 2), ElementsAre(5, 0, 13)) << "its own host comes first";
}

TEST(MissedRanks, may_be_missed_by_one_for_the_others_sake) {
  MissedRanks missed;
  missed.take(0, {.epoch = 0, .ranks = {4}});
  EXPECT_THAT(missed.by_half(5), IsEmpty());
  EXPECT_THAT(missed.by_any(5), ElementsAre(4));
  missed.take(0, {.epoch = 0, .ranks = {}});
  EXPECT_THAT(missed.by_any(5), IsEmpty());
}

TEST(MissedRanks, are_on_no_side_when_all_others_miss_them) {
  MissedRanks missed;
  EXPECT_THAT(missed.by_all(), IsEmpty());
  missed.take(2, {.epoch = 1, .ranks = {0, 1}});
  missed.take(3, {.epoch = 1, .ranks = {1, 0}});
  EXPECT_THAT(missed.by_all(), ElementsAre(0, 1));
  missed.take(0, {.epoch = 1, .ranks = {1, 2, 3}});
  EXPECT_THAT(missed.by_all(), ElementsAre(0, 1));
  missed.take(1, {.epoch = 1, .ranks = {2, 3}});
  EXPECT_THAT(missed.by_all(), ElementsAre(1));
  missed.take(0, {.epoch = 1, .ranks = {2, 3}});
  EXPECT_THAT(missed.by_all(), IsEmpty());
}

TEST(MissedRanks, are_those_of_the_newest_epoch) {
  MissedRanks missed;
  missed.take(0, {.epoch = 1, .ranks = {1}});
  missed.take(2, {.epoch = 0, .ranks = {3}});
  EXPECT_THAT(missed.by_any(4), ElementsAre(1));
  missed.take(2, {.epoch = 2, .ranks = {3}});
  EXPECT_THAT(missed.by_any(4), ElementsAre(3));
  EXPECT_EQ(missed.epoch(), 2U);
}

}  // namespace
}  // namespace lbsp::launch::survival
