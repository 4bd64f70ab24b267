#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sending_room.hpp"
#include "transport/core/reporting.hpp"

/// Which datagrams tell what has arrived.
namespace lbsp::transport {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using namespace testing;

/// What comes from rank 1, by number.
void arrive(SendingRoom& room, std::uint64_t packet) {
  room.other.inbound.enter({DatagramKind::data, 1, 0, 0, packet}, 1000, 100ms, start);
}

std::vector<bool> with_echo(const std::vector<Opened>& datagrams) {
  std::vector<bool> list;
  for (const Opened& each : datagrams) {
    WireReader in = each.reader();
    list.push_back(read_segment_header(in, each.header.kind == DatagramKind::coded)->echo.has_value());
  }
  return list;
}

TEST(Echoes, no_datagram_is_longer_than_the_path_carries_and_whole_segments_fill_it) {
  for (const std::size_t rest : {0u, 1u, 20u, 21u, 22u, 23u, 63u, 64u, 700u, 1339u, 1340u, 1359u}) {
    SendingRoom room;
    arrive(room, 0);
    room.begin_leg(2 * 1360 + rest);
    room.outgoing().set_plan(room.plan(1, true, 1));
    for (const Opened& each : room.send()) {
      WireReader in = each.reader();
      const auto header = read_segment_header(in, each.header.kind == DatagramKind::coded);
      ASSERT_TRUE(header);
      const std::size_t bytes = clear_header_bytes + each.body.size() + tag_bytes;
      EXPECT_EQ(header->segment_bytes, 1360u);
      EXPECT_LE(bytes, 1400u) << rest;
      EXPECT_TRUE(bytes == 1400 || header->shorter_by > 0) << rest;
      EXPECT_LE(bytes, room.outgoing().longest_datagram(in.rest().size())) << rest;
    }
  }
}

TEST(Echoes, only_a_last_segment_with_room_carries_an_echo_and_only_of_what_is_new) {
  SendingRoom room;
  room.begin_leg(two_segments);
  EXPECT_THAT(with_echo(room.send()), ElementsAre(false, false)) << "nothing has come";
  arrive(room, 0);
  room.begin_leg(two_segments, start, replies);
  EXPECT_THAT(with_echo(room.send()), ElementsAre(false, true));
  room.begin_leg(two_segments, start, {1, Leg::messages});
  EXPECT_THAT(with_echo(room.send()), ElementsAre(false, false)) << "it is told";
  EXPECT_TRUE(room.state.reports.empty());
}

TEST(Echoes, what_is_sent_again_tells_again_what_may_have_been_lost_with_it) {
  SendingRoom room;
  arrive(room, 0);
  room.begin_leg(100);
  room.outgoing().set_plan(room.plan(3));
  EXPECT_THAT(with_echo(room.send()), ElementsAre(true));
  EXPECT_THAT(with_echo(room.send(start + 1s)), ElementsAre(true));
  EXPECT_THAT(with_echo(room.send(start + 2s)), ElementsAre(true));
}

TEST(Echoes, a_message_without_room_for_an_echo_asks_for_one_of_its_own) {
  SendingRoom room;
  room.begin_leg(2 * 1360 - 20);
  room.send();
  EXPECT_TRUE(room.state.reports.empty()) << "there is nothing to tell";
  arrive(room, 0);
  room.begin_leg(2 * 1360 - 20, start, replies);
  ASSERT_TRUE(room.send_one());
  EXPECT_TRUE(room.state.reports.empty()) << "the last one might have room";
  room.send();
  EXPECT_FALSE(room.state.reports.empty());
  EXPECT_FALSE(room.other.report.queued);
}

TEST(Echoes, in_the_papers_rounds_a_segment_tells_its_round_and_fits_too) {
  RoomState<PaperRounds> room;
  room.other.inbound.enter({DatagramKind::data, 1, 0, 0, 0}, 1000, 100ms, start);
  room.begin_leg(2 * 1358);
  const auto datagrams = room.send();
  ASSERT_EQ(datagrams.size(), 2u);
  for (const Opened& each : datagrams) {
    WireReader in = each.reader();
    const auto header = read_segment_header(in, false);
    ASSERT_TRUE(header);
    EXPECT_EQ(header->round, 1);
    EXPECT_EQ(header->segment_bytes, 1358u);
    EXPECT_EQ(clear_header_bytes + each.body.size() + tag_bytes, 1400u);
  }
  EXPECT_TRUE(room.state.reports.empty()) << "acknowledgements have the echoes";
}

EndpointConfig with_rate_to_find(Rank size) {
  EndpointConfig config = config_of(size);
  config.options.find_rate = true;
  return config;
}

TEST(Echoes, where_the_rate_has_to_be_found_every_segment_carries_one) {
  for (const std::size_t rest : {0u, 1u, 2u, 63u, 64u, 700u, 1339u}) {
    SendingRoom room(with_rate_to_find(2));
    arrive(room, 0);
    room.begin_leg(3 * 1340 - rest);
    room.outgoing().set_plan(room.plan(1, true, 2));
    const auto datagrams = room.send();
    EXPECT_THAT(with_echo(datagrams), ElementsAre(true, true, true, true, true)) << "the coded ones too";
    for (const Opened& each : datagrams) {
      WireReader in = each.reader();
      const auto header = read_segment_header(in, each.header.kind == DatagramKind::coded);
      ASSERT_TRUE(header);
      EXPECT_EQ(header->echo->packets, 1u);
      EXPECT_EQ(header->segment_bytes, 1340u);
      const std::size_t bytes = clear_header_bytes + each.body.size() + tag_bytes;
      EXPECT_LE(bytes, 1400u) << rest;
      EXPECT_TRUE(bytes == 1400 || header->shorter_by > 0) << rest;
      EXPECT_EQ(bytes, room.outgoing().longest_datagram(in.rest().size())) << rest;
    }
  }
}

TEST(Echoes, where_the_rate_has_to_be_found_none_has_a_datagram_of_its_own) {
  SendingRoom room(with_rate_to_find(2));
  room.begin_leg(1340);
  for (std::uint64_t packet = 0; packet < 2 * protocol::datagrams_per_echo; ++packet) {
    arrive(room, packet);
    room.recovery->datagram_arrived(room.other, false, start);
  }
  room.send();
  EXPECT_TRUE(room.state.reports.empty());
}

TEST(Echoes, where_little_may_be_under_way_every_segment_carries_one) {
  EndpointConfig config = config_of(2);
  const auto echoes = [&](std::size_t buffered, Duration round_trip) {
    config.buffer_datagrams = buffered;
    SendingRoom room(config);
    if (round_trip > 0ms) room.other.path.times.assume(round_trip, 1ms);
    room.begin_leg(two_segments);
    return with_echo(room.send());
  };
  const std::vector<bool> all{true, true};
  const std::vector<bool> none{false, false};
  EXPECT_EQ(echoes(91, 1ms), all) << "for 63 there is room, and the path holds nothing";
  EXPECT_EQ(echoes(92, 1ms), none) << "after 64 there is a report";
  EXPECT_EQ(echoes(30, 70ms), none) << "the path holds many";
  EXPECT_EQ(echoes(30, 0ms), all) << "the path is not known";
}

/// What tells rank 1 what has come from it, besides segments.
struct ReportingRoom : SendingRoom {
  using SendingRoom::SendingRoom;

  std::optional<Opened> next(Instant now = start) {
    Bytes buffer(1400);
    const auto written = reporting.next(buffer, now);
    if (!written) return std::nullopt;
    return open(state.config, std::span(buffer).first(written->bytes));
  }

  Liveness liveness{state, farewell, *recovery, start};
  Reporting reporting{state, writer, liveness, *recovery};
};

TEST(Echoes, one_alone_is_short_and_says_what_has_come) {
  ReportingRoom room;
  room.begin_leg(100);
  for (std::uint64_t packet = 0; packet < 3; ++packet)
    arrive(room, packet);
  room.state.queue_echo(room.other);
  room.state.queue_echo(room.other);
  const auto datagram = room.next(start + 5us);
  ASSERT_TRUE(datagram);
  EXPECT_EQ(datagram->header.kind, DatagramKind::echo);
  EXPECT_EQ(datagram->body.size(), echo_bytes);
  WireReader in = datagram->reader();
  const auto echo = read_echo(in);
  ASSERT_TRUE(echo);
  EXPECT_EQ(echo->packets, 3u);
  EXPECT_EQ(echo->hold_microseconds, 5u);
  EXPECT_FALSE(room.next(start + 1s)) << "once is enough";
}

TEST(Echoes, one_whose_news_another_datagram_has_told_stays_away) {
  ReportingRoom room;
  arrive(room, 0);
  room.state.queue_echo(room.other);
  room.other.inbound.tell(start);
  EXPECT_FALSE(room.next());
  EXPECT_TRUE(room.state.reports.empty());
}

TEST(Echoes, a_report_that_falls_due_takes_the_place_of_one_that_waits) {
  ReportingRoom room;
  arrive(room, 0);
  room.state.queue_echo(room.other);
  room.state.queue_report(room.other);
  const auto datagram = room.next();
  ASSERT_TRUE(datagram);
  EXPECT_EQ(datagram->header.kind, DatagramKind::status);
  WireReader in = datagram->reader();
  EXPECT_EQ(read_status_header(in)->echo.packets, 1u);
  EXPECT_FALSE(room.next());
}

}  // namespace
}  // namespace lbsp::transport
