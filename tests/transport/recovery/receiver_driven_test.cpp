#include "transport/recovery/receiver_driven.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driven_room.hpp"
#include "tests/transport/message_ids.hpp"
#include "transport/protocol_times.hpp"

/// When a receiver reports, and what a report brings about.
namespace lbsp::transport {
namespace {

using testing::first;
using testing::replies;

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace testing;

using Room = DrivenRoom;

TEST(ReceiverDriven, data_calls_for_a_report_while_its_message_is_incomplete) {
  Room room;
  room.begin_leg(100);
  room.take(first, 3000, {0}, start + 1ms);
  EXPECT_EQ(room.at(Timer::report), start + 1ms + room.other.path.times.report_interval());
  room.take(first, 3000, {1}, start + 2ms);
  EXPECT_EQ(room.at(Timer::report), start + 1ms + room.other.path.times.report_interval()) << "not put off";
  room.take(first, 3000, {2}, start + 3ms);
  EXPECT_EQ(room.at(Timer::report), never);
}

TEST(ReceiverDriven, a_gap_is_reported_when_what_was_overtaken_might_have_come) {
  Room room;
  room.begin_leg(100);
  room.other.report.last = start - 1s;
  room.take(first, 9000, {0, 1});
  room.take(first, 9000, {3}, start + 1ms, true);
  EXPECT_EQ(room.at(Timer::report), start + 1ms + room.other.path.times.reordering_window());
  room.state.alarm.clear(1, Timer::report);
  room.other.report.last = start + 1ms;
  room.take(first, 9000, {5}, start + 1ms, true);
  EXPECT_EQ(room.at(Timer::report), start + 1ms + room.other.path.times.report_interval());
}

TEST(ReceiverDriven, a_gap_before_the_message_has_begun_is_reported_if_the_message_is_awaited) {
  Room room;
  room.recovery->datagram_arrived(room.other, true, start);
  EXPECT_EQ(room.at(Timer::report), never);
  room.begin_leg(100);
  room.recovery->datagram_arrived(room.other, true, start);
  EXPECT_NE(room.at(Timer::report), never);
}

TEST(ReceiverDriven, many_datagrams_call_for_a_report_at_once) {
  Room room;
  room.begin_leg(100);
  for (std::uint32_t i = 0; i + 1 < protocol::datagrams_per_report; ++i)
    room.take(first, 1'000'000, {i}, start + 1us);
  EXPECT_GT(room.at(Timer::report), start + 1us);
  room.take(first, 1'000'000, {protocol::datagrams_per_report}, start + 1us);
  EXPECT_EQ(room.at(Timer::report), start + 1us);
}

TEST(ReceiverDriven, datagrams_of_half_the_room_in_the_buffer_call_for_a_report_at_once) {
  for (const auto& [buffer, datagrams] : {std::pair{20u, 7u}, {1u, 1u}}) {
    EndpointConfig config = config_of(2);
    config.buffer_datagrams = buffer;
    Room room(config);
    room.begin_leg(100);
    for (std::uint32_t i = 0; i < datagrams; ++i) {
      EXPECT_NE(room.at(Timer::report), start) << i;
      room.take(first, 1'000'000, {i});
    }
    EXPECT_EQ(room.at(Timer::report), start);
  }
}

TEST(ReceiverDriven, a_report_that_brings_nothing_is_repeated_more_and_more_slowly) {
  Room room;
  room.other.echoed.packets = 1;
  room.begin_leg(100);
  room.take(first, 3000, {0});
  const Duration interval = room.other.path.times.report_interval();
  for (std::uint32_t i = 0; i < protocol::reports_before_backoff; ++i) {
    room.recovery->report_written(room.other, start);
    EXPECT_EQ(room.at(Timer::report), start + interval);
  }
  room.recovery->report_written(room.other, start);
  EXPECT_EQ(room.at(Timer::report), start + 2 * interval);
  for (int i = 0; i < 20; ++i)
    room.recovery->report_written(room.other, start);
  EXPECT_EQ(room.at(Timer::report), start + 250ms);
}

TEST(ReceiverDriven, a_complete_message_is_acknowledged_if_no_data_says_so_first) {
  Room room;
  room.begin_leg(100);
  room.take(first, 2000, {0});
  EXPECT_EQ(room.at(Timer::acknowledge), never);
  room.take(first, 2000, {1});
  EXPECT_EQ(room.at(Timer::acknowledge), start + room.other.path.times.acknowledgement_delay());
  EXPECT_EQ(room.other.report.newest_complete, first);
  room.take(replies, 1000, {0});
  EXPECT_EQ(room.other.report.newest_complete, replies);
}

TEST(ReceiverDriven, data_of_a_later_leg_acknowledges_everything_before_it) {
  Room room;
  room.begin_leg(3000);
  room.send();
  room.other.outbound.probes = 5;
  room.take(replies, 3000, {0}, start + 9ms);
  EXPECT_TRUE(room.other.outbound.messages.empty());
  EXPECT_EQ(room.other.outbound.probes, 0u);
  EXPECT_EQ(room.at(Timer::probe), never);
  EXPECT_EQ(room.state.last_moved, start + 9ms);
}

TEST(ReceiverDriven, a_report_acknowledges_what_it_has_and_repairs_what_it_lacks) {
  Room room;
  room.begin_leg(10 * segment_bytes);
  room.send();
  EXPECT_TRUE(room.report(10, {2, 5}));
  EXPECT_EQ(room.outgoing().unacknowledged(), 2u);
  EXPECT_THAT(room.repairs(), ElementsAre(2, 5));
  EXPECT_TRUE(room.report(10, {}));
  EXPECT_TRUE(room.other.outbound.messages.empty());
  EXPECT_EQ(room.at(Timer::probe), never);
}

TEST(ReceiverDriven, a_report_without_an_entry_says_that_nothing_has_arrived) {
  Room room;
  room.begin_leg(5 * segment_bytes);
  room.send();
  WireReader nothing(Bytes{});
  StatusHeader part = room.header();
  part.partial = true;
  EXPECT_TRUE(room.recovery->report_arrived(room.other, part, nothing, start + 1s));
  EXPECT_THAT(room.repairs(), IsEmpty()) << "another part may have it";
  EXPECT_TRUE(room.recovery->report_arrived(room.other, room.header(), nothing, start + 1s));
  EXPECT_THAT(room.repairs(), ElementsAre(0, 1, 2, 3, 4));
}

TEST(ReceiverDriven, a_report_that_is_cut_short_makes_no_sense) {
  Room room;
  room.begin_leg(3000);
  room.send();
  const Bytes cut(status_entry_bytes - 1);
  WireReader in(cut);
  EXPECT_FALSE(room.recovery->report_arrived(room.other, room.header(), in, start));
}

TEST(ReceiverDriven, an_acknowledgement_of_a_single_segment_is_not_of_this_protocol) {
  Room room;
  EXPECT_FALSE(room.recovery->acknowledgement_arrived(room.other, {{}, first, 1, 0}, start));
}

}  // namespace
}  // namespace lbsp::transport
