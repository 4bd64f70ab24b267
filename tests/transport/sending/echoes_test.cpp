#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sending_room.hpp"

/// Every segment tells what has arrived, and fits with that into a datagram.
namespace lbsp::transport {
namespace {

using namespace testing;

constexpr std::size_t whole = 1400 - data_overhead_bytes;

std::size_t bytes_of(const Opened& datagram) {
  return clear_header_bytes + datagram.body.size() + tag_bytes;
}

TEST(Echoes, every_segment_carries_one_the_coded_ones_too) {
  for (const std::size_t rest : {0u, 1u, 2u, 63u, 64u, 700u, 1353u}) {
    SendingRoom room;
    room.other.inbound.enter({DatagramKind::data, 1, 0, 0, 6}, 1000, 100ms, start);
    room.begin_leg(3 * whole - rest);
    room.outgoing().set_plan(room.plan(1, true, 2));
    const auto datagrams = room.send(start + 5us);
    ASSERT_EQ(datagrams.size(), 5u);
    for (const Opened& each : datagrams) {
      WireReader in = each.reader();
      const auto header = read_segment_header(in, each.header.kind == DatagramKind::coded, 0);
      ASSERT_TRUE(header);
      ASSERT_TRUE(header->echo) << rest;
      EXPECT_EQ(header->echo->packets, 7u);
      EXPECT_EQ(header->echo->hold_microseconds, 5u);
      EXPECT_EQ(header->segment_bytes, whole);
      EXPECT_LE(bytes_of(each), 1400u) << rest;
      EXPECT_TRUE(bytes_of(each) == 1400 || header->shorter_by > 0) << rest;
    }
  }
}

TEST(Echoes, in_the_papers_rounds_every_segment_carries_one_and_its_round) {
  RoomState<PaperRounds> room;
  room.begin_leg(2 * (whole - 2));
  const auto datagrams = room.send();
  ASSERT_EQ(datagrams.size(), 2u);
  for (const Opened& each : datagrams) {
    WireReader in = each.reader();
    const auto header = read_segment_header(in, false, 0);
    ASSERT_TRUE(header);
    EXPECT_TRUE(header->echo);
    EXPECT_EQ(header->round, 1);
    EXPECT_EQ(header->segment_bytes, whole - 2);
    EXPECT_EQ(bytes_of(each), 1400u);
  }
}

TEST(Echoes, a_message_knows_how_long_its_datagrams_are) {
  for (const std::size_t bytes : {0u, 1u, 700u, 1290u, 1291u, 1353u, 1354u, 1355u, 2000u}) {
    SendingRoom room;
    room.begin_leg(bytes);
    const auto datagrams = room.send();
    OutgoingMessage& message = room.outgoing();
    EXPECT_EQ(message.longest_datagram(), bytes_of(datagrams.front())) << bytes;
    message.acknowledge(message.segment_count() - 1);
    EXPECT_EQ(message.take_longest_acknowledged(), bytes_of(datagrams.back())) << bytes;
    EXPECT_FALSE(message.take_longest_acknowledged());
    message.acknowledge_all();
    EXPECT_EQ(message.longest_datagram(), bytes_of(datagrams.front())) << "its bytes are freed: " << bytes;
  }
}

}  // namespace
}  // namespace lbsp::transport
