#include "transport/core/receiver_driven.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "room_state.hpp"
#include "transport/protocol_times.hpp"

/// When a receiver reports, what a report brings about, and when a sender probes.
namespace lbsp::transport {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace testing;

constexpr std::size_t segment_bytes = 1326;

constexpr MessageId first{0, Leg::messages};
constexpr MessageId replies{0, Leg::replies};

struct Room : RoomState<ReceiverDriven> {
  using RoomState<ReceiverDriven>::RoomState;

  Instant at(Timer timer) const { return other.timers.at(timer); }
  /// These segments of a message of rank 1 arrive, in datagrams one after the other.
  void take(MessageId id, std::uint64_t total, std::initializer_list<std::uint32_t> segments,
            Instant now = start, bool gap = false) {
    for (const std::uint32_t segment : segments) {
      const SegmentHeader header = segment_of(id, total, segment);
      if (other.inbound.messages.find(id) == nullptr) other.inbound.messages.add(IncomingMessage(header));
      other.inbound.messages.find(id)->accept(header, Bytes(1000), now);
      recovery->segment_arrived(other, header, now);
      recovery->datagram_arrived(other, gap, now);
    }
  }
  /// A report of rank 1 that has seen all that was sent, and lacks these segments of the first `told`.
  bool report(std::uint16_t told, std::initializer_list<std::uint16_t> lacking, Instant now = start) {
    Bytes bitmap((told + 7u) / 8u, std::byte{0xff});
    for (const std::uint16_t segment : lacking)
      bitmap[segment / 8u] &= ~(std::byte{1} << (segment % 8));
    StatusEntry entry;
    entry.message = state.legs.id();
    entry.prefix_complete = true;
    entry.bits = told;
    entry.bitmap = bitmap;
    entry.segment_bytes = outgoing().segment_bytes();
    Bytes bytes(status_entry_bytes + bitmap.size());
    WireWriter out(bytes);
    write(out, entry);
    WireReader in(bytes);
    return recovery->report_arrived(other, header(), in, now);
  }
  StatusHeader header() {
    StatusHeader header;
    header.position = first;
    header.echo.packets = other.outbound.next_packet;
    return header;
  }
  std::vector<std::uint32_t> repairs() {
    std::vector<std::uint32_t> list;
    for (; state.queue.repairs.ready();)
      list.push_back(state.queue.repairs.pop().segment);
    return list;
  }
};

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

TEST(ReceiverDriven, a_datagram_that_acknowledges_nothing_does_not_put_off_the_probe) {
  Room room;
  room.begin_leg(3000);
  room.send();
  const Instant probe = room.at(Timer::probe);
  room.take(first, 3000, {0}, start + 9ms);
  EXPECT_EQ(room.at(Timer::probe), probe);
}

TEST(ReceiverDriven, a_report_that_left_before_anything_of_ours_came_does_not_put_off_the_probe) {
  Room room;
  room.begin_leg(3000);
  room.send();
  const Instant probe = room.at(Timer::probe);
  const auto report = [&](Instant now) {
    WireReader nothing(Bytes{});
    StatusHeader header = room.header();
    header.echo.packets = 0;
    room.recovery->report_arrived(room.other, header, nothing, now);
  };
  room.other.echoed.at = start;
  report(start + 9ms);
  EXPECT_EQ(room.at(Timer::probe), probe);
  room.other.echoed.at = start + 10ms;
  report(start + 10ms);
  EXPECT_EQ(room.at(Timer::probe), probe + 10ms) << "something of ours has come, the rest may follow";
}

TEST(ReceiverDriven, a_report_goes_with_a_probe_only_if_the_path_may_be_narrow) {
  Room room;
  room.begin_leg(3000);
  room.send();
  room.other.path.narrow.sent(0, 1400);
  for (int probe = 0; probe < 2; ++probe) {
    room.recovery->struck(1, Timer::probe, start + 1s);
    EXPECT_FALSE(room.other.report.queued) << "one or two may be lost by chance";
  }
  room.recovery->struck(1, Timer::probe, start + 1s);
  EXPECT_TRUE(room.other.report.queued);
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

TEST(ReceiverDriven, a_probe_sends_the_first_and_the_last_segment_that_are_not_acknowledged) {
  Room room;
  room.begin_leg(10 * segment_bytes);
  room.send();
  for (const std::uint32_t segment : {0u, 4u, 9u})
    room.outgoing().acknowledge(segment);
  EXPECT_FALSE(room.recovery->struck(1, Timer::probe, start + 1s));
  EXPECT_THAT(room.repairs(), ElementsAre(1, 8));
  EXPECT_GT(room.at(Timer::probe), start + 1s);
  room.recovery->struck(1, Timer::probe, start + 2s);
  EXPECT_THAT(room.repairs(), IsEmpty()) << "both are queued";
}

TEST(ReceiverDriven, probes_come_more_slowly_after_three) {
  Room room;
  room.other.echoed.packets = 1;
  room.begin_leg(100);
  room.send();
  const Duration plain = room.at(Timer::probe) - start;
  for (int i = 0; i < 3; ++i) {
    room.recovery->struck(1, Timer::probe, start);
    EXPECT_EQ(room.at(Timer::probe) - start, plain);
  }
  room.recovery->struck(1, Timer::probe, start);
  EXPECT_EQ(room.at(Timer::probe) - start, plain + plain / 2);
  for (int i = 0; i < 20; ++i)
    room.recovery->struck(1, Timer::probe, start);
  EXPECT_EQ(room.at(Timer::probe) - start, 1s);
}

TEST(ReceiverDriven,
     where_nothing_is_known_to_have_arrived_the_time_between_probes_doubles_up_to_four_seconds) {
  Room room;
  room.begin_leg(100);
  room.send();
  const Duration plain = room.at(Timer::probe) - start;
  for (const int times : {2, 4, 8}) {
    room.recovery->struck(1, Timer::probe, start);
    EXPECT_EQ(room.at(Timer::probe) - start, times * plain);
  }
  for (int i = 0; i < 20; ++i)
    room.recovery->struck(1, Timer::probe, start);
  EXPECT_EQ(room.at(Timer::probe) - start, 4s);
}

TEST(ReceiverDriven, where_nothing_is_known_to_have_arrived_further_probes_send_one_segment) {
  Room room;
  room.begin_leg(10 * segment_bytes);
  room.send();
  room.recovery->struck(1, Timer::probe, start + 1s);
  EXPECT_THAT(room.repairs(), ElementsAre(0, 9));
  for (const std::uint32_t segment : {0u, 9u})
    room.outgoing().segment(segment).repair_queued = false;
  room.recovery->struck(1, Timer::probe, start + 2s);
  EXPECT_THAT(room.repairs(), ElementsAre(0));
}

TEST(ReceiverDriven, where_nothing_is_known_to_have_arrived_the_time_between_reports_doubles) {
  Room room;
  room.begin_leg(100);
  room.take(first, 3000, {0});
  const Duration interval = room.other.path.times.report_interval();
  for (const int times : {1, 1, 2, 4, 8}) {
    room.recovery->report_written(room.other, start);
    EXPECT_EQ(room.at(Timer::report), start + times * interval);
  }
}

TEST(ReceiverDriven, a_probe_lets_what_was_held_back_go_on_trial) {
  EndpointConfig config = config_of(2);
  config.buffer_datagrams = 10;  // room for seven
  Room room(config);
  room.begin_leg(100);
  room.send();
  room.other.outbound.held_back.push_back({1, first, 0, 0});
  room.other.outbound.next_packet = 8;
  ASSERT_TRUE(room.in_flight.full(room.other));
  room.recovery->struck(1, Timer::probe, start + 1s);
  EXPECT_TRUE(room.other.outbound.held_back.empty());
  EXPECT_FALSE(room.in_flight.full(room.other)) << "a few may go though no echo has come";
}

TEST(ReceiverDriven, no_answer_is_awaited_of_a_peer_to_whom_nothing_was_sent) {
  Room room;
  room.begin_leg(100);
  room.recovery->answer_awaited(room.other, start);
  EXPECT_EQ(room.at(Timer::probe), never);
}

}  // namespace
}  // namespace lbsp::transport
