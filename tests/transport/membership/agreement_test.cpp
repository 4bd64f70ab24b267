#include "transport/membership/agreement.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;
using Stage = Agreement::Stage;

constexpr Instant start{1s};
constexpr Duration limit = 1s;
constexpr Duration round_trip = 20ms;

/// The members 0 … n-1, and datagrams that arrive at once. Who is `silent` says nothing and hears nothing.
class Members {
 public:
  /// New processes that have come may take any lost slot.
  explicit Members(Slot size, Duration newcomer_wait = 0s) {
    for (Slot slot = 0; slot < size; ++slot) {
      AgreementConfig config{.self = slot, .members = MemberSet::first(size), .peer_timeout = limit};
      config.round_trip = round_trip;
      config.newcomer_wait = newcomer_wait;
      if (newcomer_wait > 0s)
        config.seats = [](const MemberSet& open) {
          std::vector<Seat> seats;
          (open - MemberSet{4}).for_each([&](Slot lost) {
            seats.push_back({.slot = lost, .spare = 0, .incarnation = {}});
          });
          return seats;
        };
      members_.push_back(std::make_unique<Agreement>(config, Held{6, 7}, start));
    }
  }

  Agreement& operator[](Slot slot) { return *members_[static_cast<std::size_t>(slot)]; }
  bool passes(Slot from, Slot to) const {
    const bool deaf = to == deaf_slot && unheard.has(from);
    return !silent.has(from) && !silent.has(to) && side.has(from) == side.has(to) && !deaf;
  }

  /// Time passes in small steps, and everybody who runs is heard in each.
  void pass(Duration time) {
    for (const Instant end = now + time; now < end; now += 1ms) {
      for (Slot from = 0; from < size(); ++from)
        speak(from);
    }
  }

  Instant now = start;
  MemberSet silent;
  MemberSet side;       ///< from the others nothing passes to these
  Slot deaf_slot = -1;  ///< hears nothing …
  MemberSet unheard;    ///< … of these

 private:
  Slot size() const { return static_cast<Slot>(members_.size()); }
  void speak(Slot from) {
    if (silent.has(from)) return;
    Agreement& speaker = (*this)[from];
    if (speaker.next_timeout() <= now) speaker.handle_timeout(now);
    if (speaker.stage() == Stage::run) {
      for (Slot to = 0; to < size(); ++to) {
        if (to != from && passes(from, to)) (*this)[to].heard(from, now);
      }
    }
    while (const auto to = speaker.poll(now)) {
      if (passes(from, *to)) (*this)[*to].take(from, speaker.view(), now);
    }
  }

  std::vector<std::unique_ptr<Agreement>> members_;
};

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
    EXPECT_TRUE(members[1].notices().told().empty()) << "it would be asked for in the next epoch again";
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
  members.pass(100ms);
  members.silent = {4};
  members.pass(limit + 50ms);
  ASSERT_EQ(members[0].stage(), Stage::viewing) << "they wait for a new process";
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
}  // namespace lbsp::transport
