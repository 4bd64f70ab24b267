#include <gtest/gtest.h>

#include "tests/transport/room_state.hpp"
#include "transport/paths/datagram_sizes.hpp"
#include "transport/sizes/size_finder.hpp"

/// Which questions SizeFinder asks and answers, and what their answers bring about.
namespace lbsp::transport {
namespace {

using namespace testing;

constexpr std::size_t ceiling = 9000;
constexpr std::size_t answer_bytes = clear_header_bytes + size_header_bytes + tag_bytes;

/// Receiver and length.
using Questions = std::vector<std::pair<Rank, std::size_t>>;

template <class Resident>
struct FinderRoom : RoomState<Resident> {
  static EndpointConfig config(double megabits, Rank size = 3) {
    EndpointConfig made =
        config_of(size, std::is_same_v<Resident, PaperRounds> ? Recovery::rounds : Recovery::receiver);
    made.options.datagram_bytes = ceiling;
    made.options.find_datagram = true;
    made.options.rate = megabits_per_second(megabits);
    return made;
  }
  explicit FinderRoom(double megabits = 1000, Rank size = 3) : RoomState<Resident>(config(megabits, size)) {}
  using RoomState<Resident>::state, RoomState<Resident>::other;

  Questions sent(bool urgent, Instant now = start) {
    Questions list;
    Bytes buffer(ceiling);
    while (const auto written = urgent ? finder.next_urgent(buffer, now) : finder.next_idle(buffer, now))
      list.emplace_back(written->to, written->bytes);
    return list;
  }
  std::size_t longest_asked(Instant now = start) {
    finder.leg_begun(now);
    std::size_t longest = 0;
    for (const auto& [to, bytes] : sent(false, now))
      longest = std::max(longest, bytes);
    return longest;
  }
  bool ask(Rank from, std::uint16_t bytes, std::size_t arrived) {
    return finder.take(state.peers[from], {{}, false, bytes}, arrived, start);
  }
  bool answer(std::size_t bytes, Instant now = start) {
    return finder.take(other, {{}, true, static_cast<std::uint16_t>(bytes)}, size_header_bytes, now);
  }
  /// A short datagram arrives after so many long ones that did not.
  void lose_long(int count) {
    for (int i = 0; i < count; ++i)
      other.path.narrow.sent(packet_++, base_datagram_bytes);
    other.path.narrow.sent(packet_, 100);
    other.echoed.newest = PathEstimate::Sent{packet_++, start, 1, 100};
    finder.told(other, start);
  }

  SizeFinder finder{state, this->writer, *this->recovery};

 private:
  std::uint64_t packet_ = 0;
};
using Room = FinderRoom<ReceiverDriven>;

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
  EXPECT_FALSE(room.finder.ready());
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
  EXPECT_EQ(room.sent(true), (Questions{{1, answer_bytes}}));
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
  EXPECT_FALSE(room.finder.ready());
  room.lose_long(1);
  EXPECT_TRUE(room.other.path.sizes.on_trial());
  EXPECT_TRUE(room.finder.ready());
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
  EXPECT_TRUE(room.other.path.sizes.on_trial());
  EXPECT_TRUE(room.finder.ready());
}

TEST(SizeQuestions, a_short_one_follows_the_sixth_of_the_first_long_datagrams_or_the_last) {
  Room room;
  room.begin_leg(100);
  room.finder.leg_begun(start);
  const Questions early{{1, answer_bytes}};
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

/// A trial of the path to rank 1, during which data waits; rank 2 has asked something.
class TrialTest : public ::testing::Test {
 protected:
  TrialTest() {
    room_.begin_leg(100);
    room_.lose_long(6);
    Bytes buffer(ceiling);
    room_.finder.next_urgent(buffer, start);
    room_.ask(2, 1472, 1472);
    room_.ask(1, 1472, 1472);
    room_.other.outbound.held_back.push_back({1, room_.state.legs.id(), 0, 0});
  }
  void expect_over() {
    EXPECT_FALSE(room_.other.path.sizes.on_trial());
    EXPECT_FALSE(room_.other.path.narrow.doubtful());
    EXPECT_EQ(room_.other.timers.at(Timer::size), never);
    EXPECT_TRUE(room_.other.outbound.held_back.empty());
    EXPECT_EQ(room_.sent(true), (Questions{{2, answer_bytes}, {1, answer_bytes}}))
        << "answers to others' questions are still owed";
  }

  Room room_;
  PathSizes& sizes_ = room_.other.path.sizes;
};

TEST_F(TrialTest, is_judged_a_probe_timeout_after_its_last_question) {
  const Duration timeout = room_.other.path.times.probe_timeout();
  EXPECT_EQ(room_.other.timers.at(Timer::size), start + timeout);
  room_.sent(true, start + 3ms);
  EXPECT_EQ(room_.other.timers.at(Timer::size), start + 3ms + timeout);
}

TEST_F(TrialTest, is_over_with_one_answer_to_a_long_question) {
  EXPECT_TRUE(room_.answer(base_datagram_bytes));
  expect_over();
  EXPECT_EQ(sizes_.in_use(), base_datagram_bytes);
}

TEST_F(TrialTest, proves_a_path_narrow_with_eight_answers_to_short_questions_and_none_to_a_long_one) {
  for (int i = 0; i < 8; ++i)
    EXPECT_TRUE(room_.answer(small_datagram_bytes));
  EXPECT_TRUE(sizes_.on_trial());
  room_.finder.judge(room_.other, start + 1s);
  expect_over();
  EXPECT_EQ(sizes_.in_use(), small_datagram_bytes);
}

TEST_F(TrialTest, asks_on_while_too_few_are_answered) {
  room_.sent(true);
  room_.answer(small_datagram_bytes);
  room_.finder.judge(room_.other, start + 1s);
  EXPECT_TRUE(sizes_.on_trial());
  EXPECT_GE(room_.sent(true).size(), 24u);
}

TEST_F(TrialTest, proves_nothing_of_a_path_on_which_nothing_arrives) {
  const Duration timeout = room_.other.path.times.probe_timeout();
  room_.finder.judge(room_.other, start + 1s);
  EXPECT_TRUE(sizes_.on_trial()) << "most questions wait for a slow rate";
  EXPECT_EQ(room_.other.timers.at(Timer::size), start + 1s + timeout);
  EXPECT_GE(room_.sent(true).size(), 24u);
  room_.finder.judge(room_.other, start + 2s);
  EXPECT_FALSE(sizes_.on_trial());
  EXPECT_FALSE(room_.other.path.narrow.doubtful());
  EXPECT_TRUE(room_.other.outbound.held_back.empty());
  EXPECT_EQ(sizes_.in_use(), base_datagram_bytes);
}

TEST_F(TrialTest, is_over_when_the_system_says_what_the_path_takes) {
  room_.finder.lower(room_.other, 1000, start);
  expect_over();
  EXPECT_EQ(sizes_.in_use(), 1000u);
}

TEST(SizeQuestions, what_the_system_says_outside_a_trial_leaves_other_doubts) {
  Room room;
  room.lose_long(1);
  room.finder.lower(room.other, 1000, start);
  EXPECT_TRUE(room.other.path.narrow.doubtful());
}

}  // namespace
}  // namespace lbsp::transport
