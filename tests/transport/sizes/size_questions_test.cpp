#include <gtest/gtest.h>

#include "tests/transport/sizes/finder_room.hpp"
#include "transport/paths/datagram_sizes.hpp"

/// Which questions SizeFinder asks and answers, and what their answers bring about.
namespace lbsp::transport {
namespace {

using namespace testing;

using Room = FinderRoom<ReceiverDriven>;
using Questions = AskedSizes;

TEST(SizeQuestions, only_peers_to_which_a_leg_sends_are_asked) {
  Room room;
  room.state.legs.begin({}, {2}, {1}, start);
  room.finder.leg_begun(start);
  const Questions asked = room.sent(false);
  ASSERT_FALSE(asked.empty());
  for (const auto& [to, bytes] : asked)
    EXPECT_EQ(to, 2);
}

/// Of 300 ranks that only wait for one another they would be most of what is sent.
TEST(SizeQuestions, of_very_many_peers_only_those_are_asked_to_which_something_long_goes) {
  for (const Rank size : {65, 66}) {
    Room room(1000, size);
    room.begin_leg(100);
    room.finder.leg_begun(start);
    EXPECT_EQ(room.sent(false).empty(), size == 66) << size;
  }
  Room room(1000, 66);
  room.begin_leg(5000);
  room.finder.leg_begun(start);
  EXPECT_GE(room.sent(false).size(), 65U);
}

TEST(SizeQuestions, no_question_takes_longer_to_send_than_20_ms) {
  for (const auto& [megabits, longest] : {std::pair{1., 1472u}, {10., 9000u}}) {
    Room room(megabits);
    room.state.legs.begin({}, {1}, {1}, start);
    EXPECT_EQ(room.longest_asked(), longest) << megabits << " Mbit/s";
  }
}

TEST(SizeQuestions, go_out_together_as_far_as_they_take_20_ms) {
  Room room(2);
  room.begin_leg(100);
  room.finder.leg_begun(start);
  EXPECT_EQ(room.sent(false), (Questions{{1, 1472}, {2, 1472}, {1, 1200}})) << "4144 bytes of 5000";
  EXPECT_FALSE(room.finder.ready(start));
  EXPECT_TRUE(room.answer(1472));
  EXPECT_EQ(room.sent(false), (Questions{{2, 1200}, {2, 548}})) << "of rank 1 only longer ones are of use";
}

TEST(SizeQuestions, are_repeated_when_answers_have_had_twice_the_probe_timeout) {
  Room room;
  room.begin_leg(100);
  const Instant again = start + 2 * room.other.path.times.probe_timeout();
  EXPECT_GT(room.longest_asked(), 0u);
  EXPECT_EQ(room.longest_asked(again - 1ns), 0u);
  EXPECT_GT(room.longest_asked(again), 0u);
}

TEST(SizeQuestions, a_question_is_answered_if_it_has_the_length_that_it_says) {
  Room room;
  EXPECT_FALSE(room.ask(1, 1472, 1400));
  EXPECT_EQ(room.sent(true), Questions{});
  EXPECT_TRUE(room.ask(1, 1472, 1472));
  EXPECT_EQ(room.sent(true), (Questions{{1, size_answer_bytes}}));
}

TEST(SizeQuestions, of_one_peer_64_wait_for_their_answers_whatever_else_waits) {
  Room room;
  room.lose_long(6);
  ASSERT_TRUE(room.other.path.sizes.on_trial());
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(room.ask(1, 1472, 1472));
  EXPECT_TRUE(room.ask(2, 1472, 1472));
  Rank answers[3] = {};
  for (const auto& [to, bytes] : room.sent(true))
    answers[to] += bytes < 100 ? 1 : 0;
  EXPECT_EQ(answers[1], 64);
  EXPECT_EQ(answers[2], 1);
}

TEST(SizeQuestions, an_answer_raises_the_length) {
  Room room;
  room.begin_leg(100);
  const std::size_t asked = room.longest_asked();
  EXPECT_TRUE(room.answer(asked));
  EXPECT_EQ(room.other.path.sizes.in_use(), asked);
}

TEST(SizeQuestions, a_path_on_which_only_short_datagrams_arrive_is_put_on_trial_with_the_sixth_long_one) {
  Room room;
  room.lose_long(5);
  EXPECT_EQ(room.finder.take_doubtful(), std::vector<Rank>{1});
  EXPECT_FALSE(room.other.path.sizes.on_trial());
  EXPECT_FALSE(room.finder.ready(start));
  room.lose_long(1);
  EXPECT_TRUE(room.other.path.sizes.on_trial());
  EXPECT_TRUE(room.finder.ready(start));
}

TEST(SizeQuestions, whoever_doubts_a_path_soon_sends_something_short_after_what_is_long) {
  Room room;
  const Instant soon = start + room.other.path.times.report_interval();
  room.lose_long(1);
  EXPECT_EQ(room.other.timers.at(Timer::report), soon);
  room.state.alarm.clear(1, Timer::report);
  room.finder.told(room.other, start);
  EXPECT_EQ(room.other.timers.at(Timer::report), never) << "nothing long has gone out since";
  room.other.path.narrow.sent(100, base_datagram_bytes);
  room.finder.told(room.other, start);
  EXPECT_EQ(room.other.timers.at(Timer::report), soon);
}

TEST(SizeQuestions, a_base_of_which_only_the_short_question_is_answered_is_put_on_trial) {
  Room room;
  room.begin_leg(100);
  room.longest_asked();
  room.answer(small_datagram_bytes);
  room.other.echoed.newest = PathEstimate::Sent{0, start, 1, 100};
  room.finder.told(room.other, start);
  EXPECT_FALSE(room.other.path.sizes.on_trial()) << "100 bytes need no longer datagrams";
  room.begin_leg(1000);
  room.finder.told(room.other, start);
  EXPECT_TRUE(room.other.path.sizes.on_trial());
  EXPECT_TRUE(room.finder.ready(start));
}

TEST(SizeQuestions, a_short_one_follows_the_sixth_of_the_first_long_datagrams_or_the_last) {
  Room room;
  room.begin_leg(100);
  room.finder.leg_begun(start);
  const Questions early{{1, size_answer_bytes}};
  for (std::uint64_t packet = 0; packet < 5; ++packet)
    room.other.path.narrow.sent(packet, base_datagram_bytes);
  EXPECT_EQ(room.sent(true), Questions{});
  room.other.path.narrow.sent(5, base_datagram_bytes);
  EXPECT_EQ(room.sent(true), early);
  EXPECT_EQ(room.sent(true), Questions{});
  room.other.path.narrow.sent(6, base_datagram_bytes);
  EXPECT_EQ(room.sent(true), Questions{});
  EXPECT_EQ(room.sent(false).front(), early.front()) << "nothing else is to be sent";
  for (std::uint64_t packet = 7; packet < 23; ++packet)
    room.other.path.narrow.sent(packet, base_datagram_bytes);
  EXPECT_EQ(room.sent(true), Questions{});
  room.other.path.narrow.sent(23, base_datagram_bytes);
  EXPECT_EQ(room.sent(true), early) << "the third and last";
  room.other.path.narrow.sent(24, base_datagram_bytes);
  EXPECT_EQ(room.sent(false), Questions{});
}

TEST(SizeQuestions, none_follows_once_the_base_is_known) {
  Room room;
  room.begin_leg(100);
  room.finder.leg_begun(start);
  for (std::uint64_t packet = 0; packet < 6; ++packet)
    room.other.path.narrow.sent(packet, base_datagram_bytes);
  room.other.path.arrived(base_datagram_bytes);
  EXPECT_EQ(room.sent(true), Questions{});
}

TEST(SizeQuestions, with_rounds_nothing_is_asked_and_no_path_is_doubted) {
  FinderRoom<PaperRounds> room;
  room.begin_leg(100);
  EXPECT_EQ(room.longest_asked(), 0u);
  room.lose_long(6);
  EXPECT_EQ(room.finder.take_doubtful(), std::vector<Rank>{});
  EXPECT_FALSE(room.other.path.sizes.on_trial());
}

TEST(SizeQuestions, what_the_system_says_outside_a_trial_leaves_other_doubts) {
  Room room;
  room.lose_long(1);
  room.finder.lower(room.other, 1000, start);
  EXPECT_TRUE(room.other.path.narrow.doubtful());
}

}  // namespace
}  // namespace lbsp::transport
