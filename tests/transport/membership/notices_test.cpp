// What members make of what they are told of the ends of others, and of those who are to take their places.
#include <gtest/gtest.h>

#include "members.hpp"

namespace lbsp::transport::testing {
namespace {

/// What the members make of a notice, a millisecond at a time, until all of these have decided; so long it took.
Duration decided_after(Members& members, const MemberSet& all) {
  const Instant begin = members.now;
  const auto open = [&] {
    bool any = false;
    all.for_each([&](Slot slot) { any = any || members[slot].stage() != Stage::decided; });
    return any;
  };
  while (open() && members.now - begin < 10 * limit)
    members.pass(1ms);
  return members.now - begin;
}

TEST(Agreement, whose_end_is_told_is_left_out_after_some_round_trips) {
  for (const Slot dead : {3, 0}) {
    const MemberSet others = MemberSet::first(5) - MemberSet{dead};
    Members members(5);
    members.pass(100ms);
    members.silent = {dead};
    others.for_each([&](Slot slot) { members[slot].ended(dead, members.now); });
    EXPECT_LE(decided_after(members, others), 3 * round_trip + 10ms);
    others.for_each([&](Slot slot) { EXPECT_EQ(members[slot].view().decided->members, others) << slot; });
  }
}

TEST(Agreement, one_that_is_told_tells_the_others) {
  Members members(5);
  members.pass(100ms);
  members.silent = {0};
  members[4].ended(0, members.now);
  EXPECT_LE(decided_after(members, {1, 2, 3, 4}), 3 * round_trip + 10ms);
  EXPECT_EQ(members[2].view().decided->members, (MemberSet{1, 2, 3, 4}));
}

TEST(Agreement, who_answers_stays_whatever_is_told_of_its_end) {
  for (const Slot slandered : {0, 3}) {
    Members members(5);
    members.pass(100ms);
    for (Slot slot = 0; slot < 5; ++slot) {
      members[slot].ended(slandered, members.now);
      members[slot].ended(slandered, members.now);
    }
    EXPECT_LE(decided_after(members, MemberSet::first(5)), 10 * round_trip);
    for (Slot slot = 0; slot < 5; ++slot)
      EXPECT_EQ(members[slot].view().decided->members, MemberSet::first(5)) << slot;
    EXPECT_TRUE(members[1].hearing().notices().told().empty())
        << "it would be asked for in the next epoch again";
  }
}

TEST(Agreement, a_notice_that_is_late_or_comes_again_changes_nothing) {
  Members members(5);
  members.pass(100ms);
  members.silent = {3};
  members.pass(limit - 5ms);
  for (int times = 0; times < 2; ++times)
    for (const Slot slot : {0, 1, 2, 4})
      members[slot].ended(3, members.now);
  EXPECT_LE(decided_after(members, {0, 1, 2, 4}), 20ms) << "it is missed before";
  for (const Slot slot : {0, 1, 2, 4}) {
    members[slot].ended(3, members.now);
    EXPECT_EQ(members[slot].view().decided->members, (MemberSet{0, 1, 2, 4}));
  }
}

TEST(Agreement, who_has_reported_and_ended_since_is_left_out) {
  Members members(5, 10s);
  members.lose_and_wait();
  members.silent = {4, 2};
  for (const Slot slot : {0, 1, 3}) {
    members[slot].ended(2, members.now);
    members[slot].nobody_comes(4, members.now);
  }
  EXPECT_LE(decided_after(members, {0, 1, 3}), 4 * round_trip + 10ms);
  EXPECT_EQ(members[0].view().decided->members, (MemberSet{0, 1, 3}));
}

TEST(Agreement, nobody_waits_for_a_process_that_will_not_come) {
  Members members(5, 10s);
  members.pass(100ms);
  members.silent = {4};
  for (const Slot slot : {0, 1, 2, 3}) {
    members[slot].nobody_comes(4, members.now);
    members[slot].ended(4, members.now);
  }
  EXPECT_LE(decided_after(members, {0, 1, 2, 3}), 3 * round_trip + 10ms);
}

/// The others may not hear it as its host is cut off, from which the launcher hears it.
TEST(Agreement, nobody_waits_for_long_for_a_process_that_asks_and_is_not_heard) {
  Members members(5, 10s);
  members.lose_and_wait();
  for (const Slot slot : {0, 1, 2, 3})
    members[slot].asked_for(4, true, members.now);
  const Duration waited = decided_after(members, {0, 1, 2, 3});
  EXPECT_GE(waited, 1s);
  EXPECT_LE(waited, 1200ms);
}

/// Its states are kept still, if they are said to survive two.
TEST(Agreement, who_is_lost_while_the_others_wait_for_a_process_is_lost_with_the_first) {
  Members members(5, 10s);
  members.pass(100ms);
  members.silent = {4};
  members.pass(limit + 500ms);
  ASSERT_EQ(members[0].stage(), Stage::viewing);
  members.silent = {4, 1};
  members.pass(limit + 500ms);
  for (const Slot slot : {0, 2, 3}) {
    EXPECT_EQ(members[slot].stage(), Stage::viewing) << slot;
    EXPECT_EQ(members[slot].missed(), (MemberSet{1, 4})) << slot;
    members[slot].nobody_comes(4, members.now);
    members[slot].nobody_comes(1, members.now);
  }
  EXPECT_LE(decided_after(members, {0, 2, 3}), 4 * round_trip + 10ms);
  EXPECT_EQ(members[0].view().decided->members, (MemberSet{0, 2, 3}));
}

TEST(Agreement, a_place_that_nobody_takes_is_told_of_anew_when_its_process_turns_out_to_live) {
  Notices notices;
  notices.set_times(round_trip, limit);
  notices.vacate(2);
  notices.asked_for(3, start);
  EXPECT_EQ(notices.asked_in_vain(start + 5s), MemberSet{3});
  notices.go_on_with({1, 2, 3}, start + 5s);
  EXPECT_TRUE(notices.vacant().empty());
  EXPECT_TRUE(notices.asked_in_vain(start + 9s).empty());
}

TEST(Agreement, a_notice_of_one_that_was_heard_for_long_since_is_forgotten) {
  Notices notices;
  notices.set_times(round_trip, limit);
  EXPECT_TRUE(notices.tell(2, start));
  EXPECT_FALSE(notices.tell(2, start + 1ms)) << "the second is no news";
  notices.heard(2, start + 30ms);
  EXPECT_FALSE(notices.is_over(2, start + 79ms)) << "what it had sent was still on its way";
  EXPECT_TRUE(notices.is_over(2, start + 80ms));
  notices.heard(2, start + 100ms);
  EXPECT_FALSE(notices.is_over(2, start + 1s)) << "it lives";
  EXPECT_FALSE(notices.tell(2, start + 1s));
  notices.forget(2);
  EXPECT_TRUE(notices.tell(2, start + 2s)) << "another process";
}

}  // namespace
}  // namespace lbsp::transport::testing
