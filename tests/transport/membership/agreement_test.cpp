#include <gtest/gtest.h>

#include "members.hpp"

namespace lbsp::transport::testing {
namespace {

TEST(Agreement, nobody_agrees_on_anything_while_all_are_heard) {
  Members members(4);
  members.pass(10s);
  for (Slot slot = 0; slot < 4; ++slot)
    EXPECT_EQ(members[slot].stage(), Stage::run);
}

TEST(Agreement, those_that_remain_decide_soon_after_the_limit) {
  Members members(5);
  members.pass(100ms);
  members.silent = {3};
  members.pass(limit + 10ms);
  for (const Slot slot : {0, 1, 2, 4}) {
    ASSERT_EQ(members[slot].stage(), Stage::decided) << slot;
    EXPECT_EQ(members[slot].view().decided->members, (MemberSet{0, 1, 2, 4}));
    EXPECT_EQ(members[slot].view().decided->boundary, 7u);
  }
}

TEST(Agreement, what_is_held_stays_what_it_was_once_somebody_is_missed) {
  Members members(3);
  members[1].hold({7, 8});
  members.silent = {2};
  members.pass(limit + 10ms);
  members[1].hold({8, 9});
  EXPECT_EQ(members[1].view().held, (Held{7, 8}));
  EXPECT_EQ(members[1].view().decided->boundary, 7u);
}

TEST(Agreement, the_proposer_may_be_the_one_that_is_lost) {
  Members members(3);
  members.silent = {0};
  members.pass(limit + 10ms);
  EXPECT_EQ(members[1].view().decided->members, (MemberSet{1, 2}));
  EXPECT_EQ(members[1].view().decided, members[2].view().decided);
}

TEST(Agreement, the_smaller_side_of_a_split_ends_and_says_how_many_answer) {
  Members members(5);
  members.side = {3, 4};
  members.pass(limit + 3 * round_trip + 200ms);
  EXPECT_EQ(members[0].view().decided->members, (MemberSet{0, 1, 2}));
  for (const Slot slot : {3, 4}) {
    ASSERT_EQ(members[slot].stage(), Stage::out);
    EXPECT_EQ(message(*members[slot].exclusion()),
              "only 2 of 5 ranks answer, too few to go on: look at the network between the hosts");
  }
}

TEST(Agreement, of_two_halves_the_one_with_the_lowest_goes_on) {
  Members members(2);
  members.side = {1};
  members.pass(limit + 3 * round_trip + 200ms);
  EXPECT_EQ(members[0].view().decided->members, MemberSet{0});
  EXPECT_EQ(members[1].exclusion()->cause, Exclusion::Cause::no_quorum);
}

TEST(Agreement, who_was_cut_off_and_leads_when_it_is_back_leaves_nobody_out_whom_the_others_hear) {
  // The others wait for a new process in its place, and its own ballot is higher than theirs.
  Members members(5, 10s);
  members.pass(100ms);
  members.side = {4};
  members.pass(limit + 30ms);
  ASSERT_EQ(members[0].stage(), Stage::viewing);
  ASSERT_EQ(members[4].view().promised.proposer, 4);
  members.side = {};
  members.pass(2 * limit);
  for (Slot slot = 0; slot < 5; ++slot) {
    ASSERT_EQ(members[slot].stage(), Stage::decided) << slot;
    EXPECT_EQ(members[slot].view().decided->members, MemberSet::first(5)) << slot;
  }
}

TEST(Agreement, who_hears_nobody_is_left_out_and_not_whom_it_misses_first_also_while_a_newcomer_is_let_in) {
  Members members(5);
  members.pass(100ms);
  members.deaf_slot = 4;
  members.unheard = {2};
  members.pass(30ms);
  members.unheard = {0, 1, 2, 3};
  members[0].invite(members.now);  // which waits for the one that does not hear of it
  members.pass(3 * limit);         // it ends after one, and after another one the others miss it
  for (const Slot slot : {0, 1, 2, 3}) {
    ASSERT_EQ(members[slot].stage(), Stage::decided) << slot;
    EXPECT_EQ(members[slot].view().decided->members, (MemberSet{0, 1, 2, 3})) << slot;
  }
}

TEST(Agreement, who_is_back_leaves_out_nobody_whom_it_missed_last_also_if_another_is_lost_for_long) {
  Members members(5);
  members.pass(100ms);
  members.silent = {3};
  members.pass(600ms);
  members.deaf_slot = 4;
  members.unheard = {2};
  members.pass(30ms);
  members.side = {4};  // the others miss 3, and wait for it
  members.pass(limit - 21ms);
  ASSERT_TRUE(members[4].view().suspects.has(2));
  ASSERT_FALSE(members[4].view().suspects.has(1));
  members.side = {};
  members.pass(10ms);
  ASSERT_EQ(members[0].stage(), Stage::viewing);
  members.unheard = {};
  members.pass(limit / 2);
  for (const Slot slot : {0, 1, 2, 4}) {
    ASSERT_EQ(members[slot].stage(), Stage::decided) << slot;
    EXPECT_EQ(members[slot].view().decided->members, (MemberSet{0, 1, 2, 4})) << slot;
  }
}

TEST(Agreement, who_was_given_up_learns_it_from_whomever_it_speaks_to) {
  Members members(3);
  members.silent = {2};
  members.pass(limit + 100ms);
  members.silent = {};
  members.pass(30ms);
  ASSERT_EQ(members[2].stage(), Stage::out);
  EXPECT_EQ(members[2].exclusion()->cause, Exclusion::Cause::given_up);
}

TEST(Agreement, who_slept_does_not_take_it_for_the_others_silence) {
  Members members(3);
  members.pass(100ms);
  Agreement& sleeper = members[2];
  sleeper.handle_timeout(members.now + 10s);
  EXPECT_EQ(sleeper.stage(), Stage::run);
}

TEST(Agreement, another_that_is_lost_meanwhile_is_left_out_too) {
  Members members(5);
  members.silent = {4};
  members.pass(limit / 2);
  members.silent = {3, 4};
  members.pass(limit + 10ms);
  EXPECT_EQ(members[0].view().decided->members, (MemberSet{0, 1, 2}));
  EXPECT_EQ(members[2].view().decided, members[0].view().decided);
}

TEST(Agreement, views_of_other_epochs_and_of_no_member_are_dropped) {
  Members members(3);
  View view{.epoch = 1, .version = 1, .promised = {1, 0}};
  members[0].take(1, view, start);
  view.epoch = 0;
  members[0].take(7, view, start);
  members[0].take(0, view, start);
  view.promised = {};
  members[0].take(1, view, start);
  EXPECT_EQ(members[0].stage(), Stage::run);
}

TEST(Agreement, a_value_without_a_quorum_or_with_strangers_is_dropped) {
  Members members(3);
  View view{.epoch = 0, .version = 1, .promised = {1, 0}};
  view.decided = Decision{.members = {0}, .boundary = 7, .seats = {}};
  members[0].take(1, view, start);
  view.decided = Decision{.members = {0, 1, 9}, .boundary = 7, .seats = {}};
  members[0].take(1, view, start);
  EXPECT_EQ(members[0].stage(), Stage::run);
}

}  // namespace
}  // namespace lbsp::transport::testing
