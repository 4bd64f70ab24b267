#include "transport/core/reporting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/transport/message_ids.hpp"
#include "tests/transport/room_state.hpp"
#include "transport/paths/datagram_sizes.hpp"

/// What a report says, and when one may go.
namespace lbsp::transport {
namespace {

using testing::first;

using ::testing::IsEmpty;
using namespace testing;

/// A report as its receiver reads it.
struct Report {
  StatusHeader header;
  std::vector<StatusEntry> entries;
  std::size_t bytes = 0;
  Opened datagram;  ///< the entries' bitmaps are in it
};

template <class Resident>
struct RoomOf : RoomState<Resident> {
  using RoomState<Resident>::RoomState;
  using RoomState<Resident>::state, RoomState<Resident>::other;

  /// The reports that are due and may go.
  std::vector<Report> reports(Instant now = start) {
    std::vector<Report> list;
    Bytes buffer(state.config.options.datagram_bytes);
    while (const auto written = reporting.next(buffer, now)) {
      Report& report = list.emplace_back();
      report.bytes = written->bytes;
      report.datagram = open(state.config, std::span(buffer).first(written->bytes));
      WireReader in = report.datagram.reader();
      report.header = *read_status_header(in);
      while (!in.rest().empty())
        report.entries.push_back(*read_status_entry(in));
    }
    return list;
  }
  Report report() {
    state.queue_report(other);
    auto list = reports();
    EXPECT_EQ(list.size(), 1u);
    return std::move(list.at(0));
  }
  /// These segments of a message of rank 1 arrive.
  void take(MessageId id, std::uint64_t total, std::initializer_list<std::uint32_t> segments) {
    if (other.inbound.messages.find(id) == nullptr)
      other.inbound.messages.add(IncomingMessage(segment_of(id, total, 0)));
    for (const std::uint32_t segment : segments)
      other.inbound.messages.find(id)->accept(segment_of(id, total, segment), Bytes(1000), start);
  }

  Liveness liveness{state, this->farewell, *this->recovery, start};
  Granting granting{state};
  Reporting reporting{state, this->writer, liveness, *this->recovery, granting};
};
using Room = RoomOf<ReceiverDriven>;

TEST(Reporting, nothing_is_said_to_whom_nothing_is_due) {
  Room room;
  EXPECT_THAT(room.reports(), IsEmpty());
}

TEST(Reporting, says_where_this_rank_is_and_what_room_its_buffer_has) {
  Room room;
  room.state.counters.datagrams_overflowed = 5;
  room.begin_leg(100);
  const Report report = room.report();
  EXPECT_EQ(report.header.position, first);
  EXPECT_TRUE(report.header.begun);
  EXPECT_FALSE(report.header.partial);
  EXPECT_EQ(report.header.room, room.state.room);
  EXPECT_EQ(report.header.overflowed, 5u);
  EXPECT_THAT(report.entries, IsEmpty()) << "nothing has arrived";
}

TEST(Reporting, says_what_has_arrived_of_each_message_from_the_first_gap_on) {
  Room room;
  room.begin_leg(100);
  room.take(first, 8000, {0, 1, 3, 5});
  const Report report = room.report();
  ASSERT_EQ(report.entries.size(), 1u);
  const StatusEntry& entry = report.entries[0];
  EXPECT_EQ(entry.first, 2u);
  EXPECT_EQ(entry.bits, 4u);
  EXPECT_TRUE(entry.has(1));
  EXPECT_TRUE(entry.has(3));
  EXPECT_FALSE(entry.has(0));
  EXPECT_TRUE(entry.prefix_complete);
  EXPECT_TRUE(entry.rest_missing);
  EXPECT_FALSE(entry.complete);
  EXPECT_EQ(entry.segment_bytes, 1000u);
}

TEST(Reporting, says_nothing_of_messages_of_legs_that_are_over) {
  Room room;
  room.begin_leg(100);
  room.take(first, 1000, {0});
  room.state.legs.arrived(room.other, first);
  EXPECT_THAT(room.report().entries, IsEmpty());
}

TEST(Reporting, blocks_with_coded_segments_have_entries_of_their_own) {
  Room room;
  room.begin_leg(100);
  room.take(first, 8000, {0});
  for (const std::uint16_t index : {std::uint16_t{3}, std::uint16_t{4}}) {
    SegmentHeader coded = segment_of(first, 8000, 0);
    coded.round = index;
    room.other.inbound.messages.find(first)->accept_coded(coded, Bytes(1000), start);
  }
  const Report report = room.report();
  ASSERT_EQ(report.entries.size(), 2u);
  EXPECT_TRUE(report.entries[0].of_block);
  EXPECT_EQ(report.entries[0].first, 0u);
  EXPECT_EQ(report.entries[0].bits, 2u);
  EXPECT_FALSE(report.entries[1].of_block);
}

TEST(Reporting, a_report_that_does_not_fit_goes_out_in_parts_that_say_so) {
  Room room;
  room.begin_leg(100);
  room.other.path.sizes.lower(min_datagram_bytes, start);
  room.take(first, 4'000'000, {3999});
  room.state.queue_report(room.other);
  const auto parts = room.reports();
  ASSERT_GT(parts.size(), 2u);
  std::uint32_t told = 0;
  for (const Report& part : parts) {
    EXPECT_TRUE(part.header.partial);
    EXPECT_LE(part.bytes, min_datagram_bytes);
    ASSERT_EQ(part.entries.size(), 1u);
    EXPECT_EQ(part.entries[0].first, told);
    told += part.entries[0].bits;
  }
  EXPECT_EQ(told, 4000u);
  EXPECT_FALSE(room.other.report.queued);
  room.state.queue_report(room.other);
  EXPECT_EQ(room.reports().at(0).entries.at(0).first, 0u) << "the next one begins anew";
}

TEST(Reporting, an_entry_that_would_tell_nothing_waits_for_the_next_part) {
  for (std::size_t bytes = min_datagram_bytes; bytes < min_datagram_bytes + 2 * status_entry_bytes; ++bytes) {
    Room room;
    room.begin_leg(100);
    room.other.path.sizes = PathSizes(bytes, bytes);
    for (std::uint32_t message = 0; message < 30; ++message)
      room.take({message, Leg::messages}, 8000, {0, 7});
    room.state.queue_report(room.other);
    std::uint32_t told = 0;
    for (const Report& part : room.reports()) {
      SCOPED_TRACE(part.bytes);
      for (const StatusEntry& entry : part.entries) {
        EXPECT_GT(entry.bits, 0);
        EXPECT_EQ(entry.message.superstep, told++);
      }
      EXPECT_TRUE(told == 30 || bytes - part.bytes <= status_entry_bytes) << "another entry has room";
    }
    EXPECT_EQ(told, 30u);
  }
}

TEST(Reporting, entries_of_blocks_leave_room_for_the_bitmap) {
  constexpr std::size_t bitmap_bytes = 96;
  for (std::size_t bytes = 400; bytes < 400 + status_entry_bytes; ++bytes) {
    Room room;
    room.begin_leg(100);
    room.other.path.sizes = PathSizes(bytes, bytes);
    room.take(first, 6'000'000, {0});
    IncomingMessage& message = *room.other.inbound.messages.find(first);
    for (std::uint32_t block = 0; block < BlockLayout(6000).blocks(); ++block) {
      SegmentHeader coded = segment_of(first, 6'000'000, block);
      message.accept_coded(coded, Bytes(1000), start);
    }
    const Report report = room.report();
    ASSERT_FALSE(report.entries.empty());
    EXPECT_FALSE(report.entries.back().of_block);
    const std::size_t left = bytes - clear_header_bytes - status_header_bytes - tag_bytes -
                             (report.entries.size() - 1) * status_entry_bytes;
    EXPECT_GE(left, bitmap_bytes);
    EXPECT_LT(left, bitmap_bytes + status_entry_bytes) << "another block has room";
  }
}

TEST(Reporting, a_report_passes_where_the_data_that_it_asks_for_does_not) {
  EndpointConfig config = config_of(2);
  config.options.datagram_bytes = 9000;
  Room room(config);
  room.begin_leg(100);
  room.take(first, 40'000'000, {39'999});
  room.state.queue_report(room.other);
  for (const Report& part : room.reports())
    EXPECT_LE(part.bytes, common_datagram_bytes);
}

TEST(Reporting, when_a_keepalive_is_due_the_first_part_is_small_and_none_is_due_after_it) {
  Room room;
  room.begin_leg(100);
  room.take(first, 8'000'000, {7999});
  room.state.queue_report(room.other);
  EXPECT_GT(room.reports(start + 1s - 1ns).at(0).bytes, small_datagram_bytes);
  room.state.queue_report(room.other);
  const auto parts = room.reports(start + 1s);
  ASSERT_GT(parts.size(), 1u);
  EXPECT_LE(parts[0].bytes, small_datagram_bytes);
  EXPECT_GT(parts[1].bytes, small_datagram_bytes);
  EXPECT_GT(room.other.timers.at(Timer::keepalive), start + 1s);
}

/// Timers of a peer whose report is queued do not count (Peer::idle_timers), and have to be found again.
TEST(Reporting, after_a_large_report_a_keepalive_is_due_as_before) {
  RoomOf<PaperRounds> room;
  room.begin_leg(100);
  room.take(first, 8'000'000, {7999});
  room.liveness.set_limits(room.other);
  room.state.alarm.set_round(never);
  room.state.alarm.set(1, Timer::acknowledge, start + 5ms);
  room.state.alarm.strike(
      start + 5ms, [](Rank) {}, [&](Rank, Timer) { room.state.queue_report(room.other); });
  ASSERT_GT(room.state.alarm.next(), start + 1s);
  EXPECT_GT(room.reports(start + 5ms).at(0).bytes, small_datagram_bytes);
  ASSERT_FALSE(room.other.report.queued);
  EXPECT_EQ(room.state.alarm.next(), start + 1s);
}

TEST(Reporting, what_a_report_was_for_is_done_with_it) {
  Room room;
  room.begin_leg(100);
  room.other.report.arrivals = 9;
  room.state.alarm.set(1, Timer::report, start + 1ms);
  room.state.alarm.set(1, Timer::acknowledge, start + 1ms);
  room.report();
  EXPECT_EQ(room.other.timers.at(Timer::report), never) << "nothing of a message has come";
  EXPECT_EQ(room.other.timers.at(Timer::acknowledge), never);
  EXPECT_EQ(room.other.timers.at(Timer::keepalive), start + 1s);
  EXPECT_EQ(room.other.report.arrivals, 0u);
  EXPECT_EQ(room.other.report.last, start);
}

TEST(Reporting, a_report_is_repeated_while_something_is_missing) {
  Room room;
  room.other.echoed.packets = 1;
  room.begin_leg(100);
  room.take(first, 8000, {3});
  room.report();
  EXPECT_EQ(room.other.timers.at(Timer::report), start + room.other.path.times.report_interval());
}

TEST(Reporting, nothing_is_said_to_a_peer_that_has_left) {
  Room room(3);
  room.state.queue_report(room.other);
  room.state.queue_report(room.state.peers[2]);
  room.other.parting.finished = true;
  const auto list = room.reports();
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].datagram.header.destination, 2);
  EXPECT_FALSE(room.other.report.queued);
}

TEST(Reporting, reports_wait_for_their_share_of_the_rate) {
  EndpointConfig config = config_of(2);
  config.options.rate = megabits_per_second(1);
  Room room(config);
  int sent = 0;
  for (int i = 0; i < 100; ++i) {
    room.state.queue_report(room.other);
    sent += static_cast<int>(room.reports().size());
  }
  EXPECT_LT(sent, 5);
  EXPECT_GT(room.state.reports.next_release(true), start);
}

}  // namespace
}  // namespace lbsp::transport
