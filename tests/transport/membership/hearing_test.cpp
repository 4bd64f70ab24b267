#include "transport/membership/hearing.hpp"

#include <chrono>
#include <gtest/gtest.h>

#include "tests/transport/start.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// Of slot 0 among four, with a peer timeout of a second.
struct HearingOf0 {
  HearingOf0() { live_until(start); }

  /// It looks often, and hears these each time.
  void live_until(Instant end, const MemberSet& heard = {}) {
    for (; now < end; now += 10ms) {
      hearing.look(now);
      heard.for_each([&](Slot slot) { hearing.heard(slot, now); });
    }
    hearing.look(now);
  }
  bool misses(Slot slot, bool others_miss_it = false) const {
    return hearing.misses(slot, others_miss_it, now);
  }

  AgreementConfig config{.self = 0, .members = {0, 1, 2, 3}, .round_trip = 10ms};
  Instant now = start;
  Hearing hearing{config, start};
};

TEST(Hearing, misses_who_has_been_silent_for_the_limit) {
  HearingOf0 of;
  of.live_until(start + 990ms, {2, 3});
  EXPECT_FALSE(of.misses(1));
  EXPECT_EQ(of.hearing.not_silent(of.now), (MemberSet{0, 1, 2, 3}));
  of.live_until(start + 1s, {2, 3});
  EXPECT_TRUE(of.misses(1));
  EXPECT_FALSE(of.misses(2));
  EXPECT_EQ(of.hearing.not_silent(of.now), (MemberSet{0, 2, 3}));
}

TEST(Hearing, misses_whom_others_miss_after_half_the_limit) {
  HearingOf0 of;
  of.live_until(start + 490ms);
  EXPECT_FALSE(of.misses(1, true));
  of.live_until(start + 500ms);
  EXPECT_TRUE(of.misses(1, true));
  EXPECT_FALSE(of.misses(1, false));
}

TEST(Hearing, misses_whose_end_was_told_and_who_says_nothing_after_it) {
  HearingOf0 of;
  of.hearing.notices().tell(1, start);
  of.hearing.notices().tell(2, start);
  of.live_until(start + 200ms, {2});
  EXPECT_TRUE(of.misses(1));
  EXPECT_FALSE(of.misses(2)) << "it still speaks";
}

TEST(Hearing, takes_its_own_sleep_for_nobodys_silence) {
  HearingOf0 of;
  of.live_until(start + 900ms);
  EXPECT_EQ(of.hearing.look(of.now + 60s), 60s);
  of.now += 60s;
  EXPECT_FALSE(of.misses(1));
  of.live_until(of.now + 90ms);
  EXPECT_FALSE(of.misses(1));
  of.live_until(of.now + 10ms);
  EXPECT_TRUE(of.misses(1)) << "900 ms before the sleep, and 100 after it";
}

TEST(Hearing, misses_nobody_before_all_is_read_that_came_in_a_pause) {
  HearingOf0 of;
  of.live_until(start + 800ms);
  of.now += 250ms;
  EXPECT_EQ(of.hearing.look(of.now), 0ms) << "too short to be forgiven";
  EXPECT_TRUE(of.hearing.reads_still(of.now));
  EXPECT_FALSE(of.misses(1)) << "what it said may wait to be read";
  of.live_until(of.now + 20ms);
  EXPECT_TRUE(of.misses(1));
}

TEST(Hearing, waits_longer_for_one_behind_long_queues_up_to_three_limits) {
  HearingOf0 of;
  of.hearing.answers_take(1, 200ms);
  of.hearing.answers_take(2, 600ms);
  of.hearing.answers_take(3, 60s);
  of.live_until(start + 1s);
  EXPECT_TRUE(of.misses(1)) << "no queue to speak of";
  EXPECT_FALSE(of.misses(2));
  of.live_until(start + 1600ms);
  EXPECT_TRUE(of.misses(2));
  of.live_until(start + 3990ms);
  EXPECT_FALSE(of.misses(3));
  of.live_until(start + 4s);
  EXPECT_TRUE(of.misses(3));
}

TEST(Hearing, looks_again_when_somebody_may_be_missed) {
  HearingOf0 of;
  of.live_until(start + 950ms);
  EXPECT_EQ(of.hearing.next_look({1}), start + 1s);
  EXPECT_EQ(of.hearing.next_look({}), of.now + 125ms) << "so that it knows whether it has slept";
}

TEST(Hearing, knows_the_silence_of_who_was_heard_last) {
  HearingOf0 of;
  of.live_until(start + 300ms, {1});
  of.live_until(start + 500ms);
  EXPECT_EQ(of.hearing.silence_of({1, 2}, of.now), 210ms);
  EXPECT_EQ(of.hearing.silence_of({2}, of.now), 500ms);
  EXPECT_EQ(of.hearing.silence_of({}, of.now), 0ms);
}

}  // namespace
}  // namespace lbsp::transport
