#include "transport/recovery/paper_rounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/transport/room_state.hpp"

/// The paper's rounds by themselves: when they end, what they send again, and what they acknowledge.
namespace lbsp::transport {
namespace {

using ::testing::HasSubstr;
using namespace testing;

/// Of a leg in which rank 0 sends a message of three segments to rank 1, and awaits one.
class PaperRoundsTest : public ::testing::TestWithParam<Recovery> {
 protected:
  PaperRoundsTest() { rooms_.begin_leg(3000); }

  bool whole() const { return GetParam() == Recovery::whole_round; }
  Instant round_end() { return rooms_.state.round.deadline(); }
  void end_round() { EXPECT_FALSE(rooms_.recovery->struck(0, Timer::round, round_end())); }
  /// Sends what is queued; returns the segments, in order.
  std::vector<std::uint32_t> send() {
    std::vector<std::uint32_t> sent;
    std::vector<std::byte> buffer(1400);
    rooms_.state.queue.release(round_end());
    const std::uint64_t before = rooms_.state.counters.segments_sent;
    while (const auto written = rooms_.sending.next(rooms_.state.queue, buffer, now_)) {
      for (std::uint32_t i = 0; i < 3; ++i) {
        const OutgoingMessage::Segment& segment = rooms_.outgoing().segment(i);
        if (segment.transmissions > 0 && segment.last_packet + 1 == rooms_.other.outbound.next_packet)
          sent.push_back(i);
      }
    }
    EXPECT_EQ(rooms_.state.counters.segments_sent - before, sent.size());
    return sent;
  }
  bool acknowledge(std::uint32_t segment, std::uint16_t round, Instant now = start) {
    return rooms_.recovery->acknowledgement_arrived(rooms_.other,
                                                    {{}, rooms_.state.legs.id(), round, segment}, now);
  }
  void acknowledge_all(std::uint16_t round, Instant now = start) {
    for (std::uint32_t i = 0; i < 3; ++i)
      EXPECT_TRUE(acknowledge(i, round, now));
  }
  /// Segment 0 of rank 1's message of one segment comes.
  void take_message(std::uint16_t round) {
    SegmentHeader header;
    header.message = rooms_.state.legs.id();
    header.round = round;
    header.total_bytes = 100;
    header.segment_bytes = 1000;
    const Bytes payload(100);
    if (rooms_.other.inbound.messages.find(header.message) == nullptr) {
      IncomingMessage& message = rooms_.other.inbound.messages.add(IncomingMessage(header));
      message.accept(header, payload, start);
      rooms_.state.legs.arrived(rooms_.other, header.message);
    }
    rooms_.recovery->segment_arrived(rooms_.other, header, start);
  }

  RoomState<PaperRounds> rooms_{config_of(2, GetParam())};
  Instant now_ = start;
};

TEST_P(PaperRoundsTest, a_round_lasts_two_tau) {
  // τ = h·α + β: 3 datagrams of 1400 bytes at 1 Gbit/s, and a round trip that is taken to be 100 ms.
  EXPECT_EQ(round_end(), start + 2 * (100ms + 33'600ns));
  EXPECT_EQ(rooms_.state.alarm.next(), round_end());
  EXPECT_EQ(rooms_.state.counters.rounds, 1u);
}

TEST_P(PaperRoundsTest, a_leg_ends_with_a_round_and_not_before) {
  send();
  acknowledge_all(1);
  take_message(1);
  EXPECT_TRUE(rooms_.state.legs.active());
  end_round();
  EXPECT_FALSE(rooms_.state.legs.active());
  EXPECT_TRUE(rooms_.other.outbound.messages.empty());
  EXPECT_EQ(rooms_.state.counters.rounds, 1u);
}

TEST_P(PaperRoundsTest, a_leg_without_messages_to_send_or_to_await_is_over_at_once) {
  rooms_.state.legs.begin({0, Leg::replies}, {}, {}, start);
  rooms_.recovery->leg_begun(start);
  EXPECT_FALSE(rooms_.state.legs.active());
}

TEST_P(PaperRoundsTest, a_leg_goes_on_while_the_awaited_message_lacks_but_nothing_is_sent_again) {
  send();
  acknowledge_all(1);
  end_round();
  EXPECT_TRUE(rooms_.state.legs.active());
  EXPECT_TRUE(send().empty());
  EXPECT_EQ(rooms_.state.counters.rounds, 2u);
}

TEST_P(PaperRoundsTest, the_next_round_sends_what_its_scheme_says) {
  EXPECT_EQ(send(), (std::vector<std::uint32_t>{0, 1, 2}));
  acknowledge(0, 1);
  acknowledge(2, 1);
  end_round();
  EXPECT_EQ(send(), whole() ? (std::vector<std::uint32_t>{0, 1, 2}) : std::vector<std::uint32_t>{1});
  EXPECT_EQ(rooms_.state.counters.segments_resent, whole() ? 3u : 1u);
}

TEST_P(PaperRoundsTest,
       an_acknowledgement_of_an_earlier_round_counts_only_if_single_segments_are_sent_again) {
  send();
  end_round();
  EXPECT_TRUE(acknowledge(1, 1));
  EXPECT_EQ(rooms_.outgoing().segment(1).acknowledged, !whole());
  EXPECT_TRUE(acknowledge(1, 2));
  EXPECT_TRUE(rooms_.outgoing().segment(1).acknowledged);
}

TEST_P(PaperRoundsTest, an_acknowledgement_of_what_was_never_there_makes_no_sense) {
  EXPECT_FALSE(acknowledge(3, 1));
  const SegmentAck of_a_finished_message{{}, {7, Leg::replies}, 1, 99};
  EXPECT_TRUE(rooms_.recovery->acknowledgement_arrived(rooms_.other, of_a_finished_message, start));
}

TEST_P(PaperRoundsTest, every_segment_is_acknowledged_once_in_each_round) {
  for (const std::uint16_t round : std::initializer_list<std::uint16_t>{1, 1, 2})
    take_message(round);
  ASSERT_EQ(rooms_.state.queue.acknowledgements.size(), 2u);
  EXPECT_EQ(rooms_.state.queue.acknowledgements[0].round, 1);
  EXPECT_EQ(rooms_.state.queue.acknowledgements[1].round, 2);
}

TEST_P(PaperRoundsTest, a_segment_of_a_message_that_is_gone_is_acknowledged_every_time) {
  SegmentHeader header;
  header.message = {0, Leg::messages};
  header.round = 4;
  rooms_.recovery->segment_arrived(rooms_.other, header, start);
  rooms_.recovery->segment_arrived(rooms_.other, header, start);
  EXPECT_EQ(rooms_.state.queue.acknowledgements.size(), 2u);
}

TEST_P(PaperRoundsTest, a_segment_that_its_message_does_not_have_is_acknowledged_every_time) {
  take_message(1);
  SegmentHeader header;
  header.message = {0, Leg::messages};
  header.round = 1;
  header.segment = 1;
  rooms_.recovery->segment_arrived(rooms_.other, header, start);
  rooms_.recovery->segment_arrived(rooms_.other, header, start);
  EXPECT_EQ(rooms_.state.queue.acknowledgements.size(), 3u);
}

TEST_P(PaperRoundsTest, a_rank_moves_until_all_is_acknowledged) {
  EXPECT_TRUE(rooms_.recovery->moving(rooms_.other));
  acknowledge_all(1);
  EXPECT_FALSE(rooms_.recovery->moving(rooms_.other));
}

TEST_P(PaperRoundsTest, a_peer_beyond_the_leg_will_not_come) {
  StatusHeader status;
  status.moving = true;
  EXPECT_TRUE(rooms_.recovery->will_come(status));
  status.position = {0, Leg::replies};
  EXPECT_FALSE(rooms_.recovery->will_come(status));
}

TEST_P(PaperRoundsTest, a_peer_that_acknowledges_nothing_for_the_limit_is_given_up) {
  send();
  EXPECT_EQ(rooms_.other.timers.at(Timer::acknowledgement), start + patience);
  EXPECT_FALSE(rooms_.recovery->struck(1, Timer::acknowledgement, start + patience - 1ns));
  const auto notice = rooms_.recovery->struck(1, Timer::acknowledgement, start + patience);
  ASSERT_TRUE(notice);
  EXPECT_EQ(notice->reason, AbortReason::no_progress);
  EXPECT_EQ(notice->subject, 1);
  EXPECT_EQ(notice->silent_milliseconds, 15'000u);
  EXPECT_THAT(notice->text, HasSubstr("0 of 3 segments are acknowledged, none for 15.0 s"));
}

TEST_P(PaperRoundsTest, a_datagram_size_is_suspected_until_one_that_long_has_arrived) {
  const auto text = [&] {
    const Instant due = rooms_.other.wait.acknowledged_at + patience;
    const auto notice = rooms_.recovery->struck(1, Timer::acknowledgement, due);
    return notice ? notice->text : "";
  };
  acknowledge(2, 1);  // of 348 bytes
  EXPECT_THAT(text(),
              HasSubstr("1 of 3 segments are acknowledged, none for 15.0 s: datagrams of 1400 bytes seem"));
  acknowledge(0, 1);
  EXPECT_THAT(text(), HasSubstr("look for a filter"));
}

TEST_P(PaperRoundsTest, what_was_never_acknowledged_before_gives_it_the_whole_limit_again) {
  send();
  acknowledge(1, 1, start + 4s);
  EXPECT_FALSE(rooms_.recovery->struck(1, Timer::acknowledgement, start + patience));
  EXPECT_EQ(rooms_.other.timers.at(Timer::acknowledgement), start + 4s + patience);
  acknowledge(1, 1, start + 5s);
  EXPECT_TRUE(rooms_.recovery->struck(1, Timer::acknowledgement, start + 4s + patience));
}

TEST_P(PaperRoundsTest, nothing_is_due_of_a_peer_that_has_acknowledged_all) {
  acknowledge_all(1);
  EXPECT_FALSE(rooms_.recovery->struck(1, Timer::acknowledgement, start + 10 * patience));
  EXPECT_EQ(rooms_.other.timers.at(Timer::acknowledgement), never);
}

TEST_P(PaperRoundsTest, who_loses_something_in_each_round_is_told_how_much_is_lost) {
  rooms_.other.path.loss.loss = 3277;  // of 65535
  for (std::uint32_t segment = 0; segment < 3; ++segment) {
    acknowledge(segment, rooms_.state.round.number());
    if (whole()) end_round();
  }
  if (!whole()) return;
  const auto notice = rooms_.recovery->struck(1, Timer::acknowledgement, start + 1h);
  ASSERT_TRUE(notice);
  EXPECT_THAT(notice->text,
              HasSubstr("4 rounds of 3 segments have each lost something (of what goes to it, 5 % is "
                        "lost)"));
}

INSTANTIATE_TEST_SUITE_P(Schemes, PaperRoundsTest, ::testing::Values(Recovery::rounds, Recovery::whole_round),
                         [](const auto& scheme) {
                           return scheme.param == Recovery::rounds ? "rounds" : "whole_round";
                         });

TEST(PaperRounds, a_peer_that_has_left_in_the_middle_of_a_leg_gets_nothing_in_its_next_round) {
  RoomState<PaperRounds> rooms(3);
  rooms.begin_leg(100);
  rooms.send();
  rooms.other.outbound.messages.remove_if([](const OutgoingMessage&) { return true; });
  rooms.recovery->struck(0, Timer::round, rooms.state.round.deadline());
  const auto again = rooms.send();
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].header.destination, 2);
}

TEST(PaperRounds, a_rank_that_sends_nothing_acknowledges_as_often_as_in_its_last_leg) {
  RoomState<PaperRounds> rooms;
  rooms.begin_leg(100);
  MessagePlan thrice;
  thrice.copies = 3;
  rooms.outgoing().set_plan(thrice);
  rooms.recovery->leg_begun(start);
  rooms.state.legs.begin({0, Leg::replies}, {}, {1}, start);
  rooms.recovery->leg_begun(start);
  SegmentHeader header;
  header.message = {0, Leg::replies};
  header.total_bytes = 100;
  header.segment_bytes = 1000;
  header.round = 1;
  rooms.other.inbound.messages.add(IncomingMessage(header));
  rooms.recovery->segment_arrived(rooms.other, header, start);
  EXPECT_EQ(rooms.state.queue.acknowledgements.size(), 3u);
}

}  // namespace
}  // namespace lbsp::transport
