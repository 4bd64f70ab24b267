#include <algorithm>
#include <gtest/gtest.h>

#include "tests/transport/sizes/finder_room.hpp"
#include "transport/paths/datagram_sizes.hpp"

/// When SizeFinder's trial of a path is over, and what it has proved.
namespace lbsp::transport {
namespace {

using namespace testing;

using TrialRoom = FinderRoom<ReceiverDriven>;

/// A trial of the path to rank 1, during which data waits; rank 2 has asked something.
class SizeTrial : public ::testing::Test {
 protected:
  SizeTrial() {
    room_.begin_leg(100);
    room_.lose_long(6);
    Bytes buffer(TrialRoom::ceiling);
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
    EXPECT_EQ(room_.sent(true), (AskedSizes{{2, size_answer_bytes}, {1, size_answer_bytes}}))
        << "answers to others' questions are still owed";
  }

  TrialRoom room_;
  PathSizes& sizes_ = room_.other.path.sizes;
};

TEST_F(SizeTrial, is_judged_a_probe_timeout_after_its_last_question) {
  const Duration timeout = room_.other.path.times.probe_timeout();
  EXPECT_EQ(room_.other.timers.at(Timer::size), start + timeout);
  room_.sent(true, start + 3ms);
  EXPECT_EQ(room_.other.timers.at(Timer::size), start + 3ms + timeout);
}

TEST_F(SizeTrial, is_over_with_one_answer_to_a_long_question) {
  EXPECT_TRUE(room_.answer(base_datagram_bytes));
  expect_over();
  EXPECT_EQ(sizes_.in_use(), base_datagram_bytes);
}

TEST_F(SizeTrial, proves_a_path_narrow_with_eight_answers_to_short_questions_and_none_to_a_long_one) {
  for (int i = 0; i < 8; ++i)
    EXPECT_TRUE(room_.answer(small_datagram_bytes));
  EXPECT_TRUE(sizes_.on_trial());
  room_.finder.judge(room_.other, start + 1s);
  expect_over();
  EXPECT_EQ(sizes_.in_use(), small_datagram_bytes);
}

TEST_F(SizeTrial, asks_on_while_too_few_are_answered) {
  room_.sent(true);
  room_.answer(small_datagram_bytes);
  room_.finder.judge(room_.other, start + 1s);
  EXPECT_TRUE(sizes_.on_trial());
  EXPECT_GE(room_.sent(true).size(), 24u);
}

TEST_F(SizeTrial, proves_nothing_of_a_path_on_which_nothing_arrives) {
  const Duration timeout = room_.other.path.times.probe_timeout();
  room_.finder.judge(room_.other, start + 1s);
  EXPECT_TRUE(sizes_.on_trial()) << "most questions wait for a slow rate";
  EXPECT_EQ(room_.other.timers.at(Timer::size), start + 1s + timeout);
  EXPECT_GE(room_.sent(true).size(), 24u);
  for (const Duration later : {2s, 3s, 4s})
    room_.finder.judge(room_.other, start + later);
  EXPECT_FALSE(sizes_.on_trial());
  EXPECT_FALSE(room_.other.path.narrow.doubtful());
  EXPECT_TRUE(room_.other.outbound.held_back.empty());
  EXPECT_EQ(sizes_.in_use(), base_datagram_bytes);
}

TEST_F(SizeTrial, waits_thrice_for_answers_that_a_queue_may_hold_if_they_take_less_than_a_second) {
  room_.other.path.times.assume(20ms, 1ms);
  room_.sent(true);
  const Duration timeout = room_.other.path.times.probe_timeout();
  ASSERT_LT(8 * timeout, 1s);
  Instant now = start + 1s;
  for (const int times : {2, 4, 8}) {
    room_.finder.judge(room_.other, now);
    EXPECT_TRUE(sizes_.on_trial());
    EXPECT_EQ(room_.other.timers.at(Timer::size), now + times * timeout);
    now += times * timeout;
  }
  room_.finder.judge(room_.other, now);
  EXPECT_FALSE(sizes_.on_trial());
}

TEST_F(SizeTrial, is_over_when_the_system_says_what_the_path_takes) {
  room_.finder.lower(room_.other, 1000, start);
  expect_over();
  EXPECT_EQ(sizes_.in_use(), 1000u);
}

/// How many short questions of a trial are answered before the path counts as narrow, if none goes out before the last
/// one has been answered, but for `ahead`, and the one of that number is lost.
int answers_that_prove(int ahead, int lost) {
  PathSizes sizes(1472, 1472);
  sizes.begin_trial(1472);
  for (int i = 0; i < ahead; ++i)
    sizes.asked_on_trial(548, 0, start);
  int answers = 0;
  for (int i = 0; !sizes.has_enough_answers(); ++i) {
    sizes.asked_on_trial(548, 0, start);
    if (i == lost) continue;
    sizes.answered(548);
    ++answers;
  }
  EXPECT_EQ(sizes.judge(start), PathSizes::Verdict::narrow);
  return answers;
}

TEST(SizeTrials, five_short_answers_are_enough_if_each_comes_before_the_next_question_but_one) {
  EXPECT_EQ(answers_that_prove(0, -1), 5);
  EXPECT_EQ(answers_that_prove(1, -1), 5);
  EXPECT_EQ(answers_that_prove(2, -1), 8) << "one of them may have been lost";
  EXPECT_EQ(answers_that_prove(1, 2), 8);
}

/// What a rank sends that has begun a trial, at this rate, and is then asked.
AskedSizes asked_on_trial(double megabits) {
  TrialRoom room(megabits);
  room.begin_leg(100);
  room.lose_long(6);
  room.ask(2, 548, 548);
  room.ask(1, 548, 548);
  return room.sent(true);
}

TEST(SizeTrials, answers_wait_for_no_more_of_their_questions_than_take_a_tenth_of_a_second) {
  const AskedSizes answers{{2, size_answer_bytes}, {1, size_answer_bytes}};
  const auto before_answers = [&](double megabits) {
    const AskedSizes sent = asked_on_trial(megabits);
    return std::ranges::search(sent, answers).begin() - sent.begin();
  };
  EXPECT_EQ(before_answers(0.064), 0);
  EXPECT_EQ(before_answers(0.2), 3) << "1200, 256 and 548 bytes, which take 80 ms; the next 22 ms more";
  EXPECT_EQ(before_answers(100), 28) << "all";
}

TEST(SizeTrials, are_judged_before_all_is_asked_if_what_is_answered_is_enough) {
  TrialRoom room(0.064);
  room.begin_leg(100);
  room.lose_long(6);
  Bytes buffer(TrialRoom::ceiling);
  PathSizes& sizes = room.other.path.sizes;
  for (int i = 0; i < 14; ++i) {
    const Transmit* asked = room.finder.next_urgent(buffer, start);
    ASSERT_NE(asked, nullptr);
    if (asked->bytes == small_datagram_bytes) room.answer(small_datagram_bytes);
  }
  room.finder.told(room.other, start);
  room.finder.judge(room.other, room.other.timers.at(Timer::size));
  EXPECT_FALSE(sizes.on_trial());
  EXPECT_EQ(sizes.in_use(), small_datagram_bytes);
  EXPECT_TRUE(room.sent(true).empty()) << "what has not been asked yet";
}

/// Three ranks behind rank 0's link; each loses six long datagrams.
class SizeTrialsOfSeveral : public ::testing::Test {
 protected:
  SizeTrialsOfSeveral() {
    room_.begin_leg(5000);
    for (const Rank peer : {1, 2, 3})
      lose_long(peer);
  }
  void lose_long(Rank peer) {
    Peer& of = room_.state.peers[peer];
    for (int i = 0; i < 6; ++i)
      of.path.narrow.sent(packet_++, of.path.sizes.in_use());
    of.path.narrow.sent(packet_, 100);
    of.echoed.newest = PathEstimate::Sent{packet_++, start, 1, 100};
    room_.finder.told(of, start);
  }
  void answer_short(Rank peer) {
    for (int i = 0; i < 8; ++i)
      room_.finder.take(room_.state.peers[peer], {{}, true, small_datagram_bytes}, size_header_bytes, start);
  }
  PathSizes& sizes_to(Rank peer) { return room_.state.peers[peer].path.sizes; }
  /// Those to whom something goes out.
  std::vector<Rank> asked() {
    std::vector<Rank> ranks;
    for (const auto& [rank, bytes] : room_.sent(true))
      if (std::ranges::find(ranks, rank) == ranks.end()) ranks.push_back(rank);
    return ranks;
  }

  TrialRoom room_{0.1, 4};

 private:
  std::uint64_t packet_ = 0;
};

TEST_F(SizeTrialsOfSeveral, begin_with_one_while_data_for_the_others_waits) {
  EXPECT_EQ(asked(), std::vector<Rank>{1});
  for (const Rank peer : {1, 2, 3})
    EXPECT_TRUE(sizes_to(peer).on_trial()) << peer;
}

TEST_F(SizeTrialsOfSeveral, need_no_more_than_one_if_that_path_is_narrow) {
  asked();
  sizes_to(3).arrived(base_datagram_bytes);
  answer_short(1);
  room_.finder.judge(room_.state.peers[1], start + 1s);
  EXPECT_EQ(sizes_to(1).in_use(), small_datagram_bytes);
  EXPECT_EQ(sizes_to(2).in_use(), small_datagram_bytes) << "begins there";
  EXPECT_FALSE(sizes_to(2).on_trial());
  EXPECT_TRUE(sizes_to(2).base_open()) << "nothing has shown that it carries no more";
  EXPECT_EQ(sizes_to(3).in_use(), base_datagram_bytes) << "has been seen to arrive";
  EXPECT_EQ(asked(), std::vector<Rank>{3}) << "whose turn it is now";
}

TEST_F(SizeTrialsOfSeveral, go_on_with_the_next_if_a_long_question_is_answered) {
  asked();
  EXPECT_TRUE(room_.answer(base_datagram_bytes));
  EXPECT_EQ(asked(), std::vector<Rank>{2});
  EXPECT_EQ(sizes_to(2).in_use(), base_datagram_bytes);
}

TEST_F(SizeTrialsOfSeveral, go_on_with_the_next_if_a_peer_has_left) {
  asked();
  room_.state.peers[1].parting.finished = true;
  room_.finder.told(room_.state.peers[3], start);
  EXPECT_EQ(asked(), std::vector<Rank>{2});
}

TEST_F(SizeTrialsOfSeveral, tell_the_others_nothing_if_nothing_arrives) {
  for (int trial = 0; sizes_to(1).in_use() == base_datagram_bytes; ++trial) {
    ASSERT_LT(trial, 20);
    asked();
    if (!sizes_to(1).on_trial()) lose_long(1);
    room_.finder.judge(room_.state.peers[1], start + 1s);
  }
  EXPECT_EQ(sizes_to(2).in_use(), base_datagram_bytes);
}

}  // namespace
}  // namespace lbsp::transport
