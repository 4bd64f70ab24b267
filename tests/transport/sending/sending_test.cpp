#include "transport/sending/sending.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sending_room.hpp"
#include "transport/error.hpp"

/// What goes out, in which order, and what waits.
namespace lbsp::transport {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using namespace testing;

TEST(Sending, messages_take_turns_segment_by_segment_the_successor_first) {
  SendingRoom room(3);
  room.begin_leg(two_segments);
  EXPECT_THAT(segments(room.send()), ElementsAre(Pair(1, 0), Pair(2, 0), Pair(1, 1), Pair(2, 1)));
  EXPECT_EQ(room.counters().segments_sent, 4u);
  EXPECT_EQ(room.counters().payload_bytes_sent, 2 * two_segments);
  EXPECT_THAT(room.send(), IsEmpty());
}

TEST(Sending, a_segment_tells_its_message_and_carries_its_part_of_it) {
  SendingRoom room;
  room.state.legs.begin({0, Leg::messages}, {1}, {}, start);
  Bytes payload(two_segments);
  payload[1999] = std::byte{7};
  room.sending.add_messages({{}, payload}, start);
  const auto datagrams = room.send();
  ASSERT_EQ(datagrams.size(), 2u);
  WireReader in = datagrams[1].reader();
  const auto header = read_segment_header(in, false, 0);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->message, (MessageId{0, Leg::messages}));
  EXPECT_EQ(header->total_bytes, two_segments);
  EXPECT_EQ(header->segment_bytes, 1354u);
  EXPECT_EQ(in.rest().size(), two_segments - 1354u);
  EXPECT_EQ(in.rest().back(), std::byte{7});
}

TEST(Sending, a_further_copy_of_all_segments_follows_after_a_while) {
  SendingRoom room;
  room.begin_leg(two_segments);
  room.outgoing().set_plan(room.plan(2));
  EXPECT_THAT(segments(room.send()), ElementsAre(Pair(1, 0), Pair(1, 1)));
  const Instant later = room.state.queue.next_release();
  EXPECT_EQ(later, start + room.other.path.times.copy_spacing());
  EXPECT_THAT(segments(room.send(later)), ElementsAre(Pair(1, 0), Pair(1, 1)));
  EXPECT_EQ(room.counters().copies_sent, 2u);
  EXPECT_EQ(room.state.queue.next_release(), never);
}

TEST(Sending, what_has_arrived_or_was_repaired_needs_no_copy) {
  SendingRoom room;
  room.begin_leg(3000);
  room.outgoing().set_plan(room.plan(2));
  room.send();
  room.outgoing().acknowledge(0);
  room.state.queue.repairs.push({1, room.state.legs.id(), 1});
  EXPECT_THAT(segments(room.send()), ElementsAre(Pair(1, 1)));
  EXPECT_THAT(segments(room.send(start + 1s)), ElementsAre(Pair(1, 2)));
}

TEST(Sending, coded_segments_follow_their_block) {
  SendingRoom room;
  room.begin_leg(two_segments);
  room.outgoing().set_plan(room.plan(1, true, 3));
  const auto datagrams = room.send();
  ASSERT_EQ(datagrams.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_EQ(datagrams[i].header.kind, i < 2 ? DatagramKind::data : DatagramKind::coded);
  for (std::uint16_t i = 0; i < 3; ++i) {
    WireReader in = datagrams[2u + i].reader();
    EXPECT_EQ(read_segment_header(in, true, 0)->round, i) << "its number in the block";
    EXPECT_EQ(in.rest().size(), 1354u);
  }
  EXPECT_EQ(room.counters().coded_sent, 3u);
  EXPECT_EQ(room.outgoing().blocks()[0].under_way.size(), 3u);
}

TEST(Sending, a_block_that_has_arrived_needs_no_coded_segments) {
  SendingRoom room;
  room.begin_leg(two_segments);
  room.outgoing().set_plan(room.plan(1, true, 3));
  room.outgoing().acknowledge_all();
  EXPECT_THAT(room.send(), IsEmpty());
  EXPECT_EQ(room.counters().coded_sent, 0u);
}

TEST(Sending, coded_segments_wait_too_for_what_is_too_much_in_flight) {
  SendingRoom room;
  room.begin_leg(two_segments);
  room.outgoing().set_plan(room.plan(1, true, 3));
  EXPECT_EQ(room.send_one()->header.kind, DatagramKind::data);
  EXPECT_EQ(room.send_one()->header.kind, DatagramKind::data);
  room.other.path.sizes.begin_trial(1400);
  EXPECT_THAT(room.send(), IsEmpty());
  EXPECT_EQ(room.counters().coded_sent, 0u);
}

TEST(Sending, repairs_go_before_copies_unless_nobody_needs_them_any_more) {
  SendingRoom room;
  room.begin_leg(3000);
  room.state.queue.repairs.push({1, {9, Leg::replies}, 0});
  room.state.queue.repairs.push({1, room.state.legs.id(), 2});
  room.outgoing().segment(2).repair_queued = true;
  EXPECT_THAT(segments(room.send()), ElementsAre(Pair(1, 2), Pair(1, 0), Pair(1, 1)));
  EXPECT_FALSE(room.outgoing().segment(2).repair_queued);
  room.outgoing().acknowledge(1);
  room.state.queue.repairs.push({1, room.state.legs.id(), 1});
  EXPECT_THAT(room.send(), IsEmpty());
  EXPECT_EQ(room.counters().segments_resent, 1u);
}

TEST(Sending, a_coded_repair_is_a_new_coded_segment) {
  SendingRoom room;
  room.begin_leg(two_segments);
  room.outgoing().set_plan(room.plan(1, true, 1));
  room.send();
  room.outgoing().blocks()[0].queued = 1;
  room.state.queue.repairs.push({1, room.state.legs.id(), 0, true});
  const auto datagrams = room.send();
  ASSERT_EQ(datagrams.size(), 1u);
  WireReader in = datagrams[0].reader();
  EXPECT_EQ(read_segment_header(in, true, 0)->round, 1) << "number 0 was planned";
  EXPECT_EQ(room.outgoing().blocks()[0].queued, 0);
  EXPECT_EQ(room.counters().segments_resent, 1u);
  EXPECT_EQ(room.counters().segments_sent, 4u);
  const auto nothing_goes = [&] {
    room.outgoing().blocks()[0].queued = 1;
    room.state.queue.repairs.push({1, room.state.legs.id(), 0, true});
    return room.send().empty();
  };
  room.other.path.sizes.begin_trial(1400);
  EXPECT_TRUE(nothing_goes()) << "it may be too long";
  room.other.path.sizes.end_trial();
  room.outgoing().acknowledge_all();
  EXPECT_TRUE(nothing_goes()) << "the block has arrived";
}

TEST(Sending, what_would_be_too_much_in_flight_waits_for_an_echo) {
  EndpointConfig config = config_of(2);
  config.buffer_datagrams = 10;  // room for seven
  SendingRoom room(config);
  room.begin_leg(20'000);
  const std::size_t sent = room.send().size();
  EXPECT_LT(sent, 16u);
  EXPECT_EQ(room.other.outbound.held_back.size(), 1u);
  EXPECT_NE(room.other.timers.at(Timer::probe), never) << "it must not wait for ever";
  EXPECT_THAT(room.send(), IsEmpty());
  Echo echo;
  echo.packets = sent;
  room.in_flight.echoed(room.other, echo, start);
  EXPECT_FALSE(room.send().empty());
}

TEST(Sending, what_is_held_back_before_anything_was_sent_asks_after_a_while) {
  SendingRoom room;
  room.begin_leg(100);
  room.other.path.sizes.begin_trial(1400);
  EXPECT_THAT(room.send(), IsEmpty());
  EXPECT_NE(room.other.timers.at(Timer::probe), never);
}

TEST(Sending, a_slower_path_lets_go_what_its_rate_allows_and_the_others_go_on) {
  SendingRoom room(3);
  room.begin_leg(20'000);
  room.other.path.rate.hold(BytesPerSecond{14'000}, 1400, start);
  const auto gone = segments(room.send());
  EXPECT_EQ(std::ranges::count(gone, 1, &std::pair<Rank, std::uint32_t>::first), 4);
  EXPECT_EQ(std::ranges::count(gone, 2, &std::pair<Rank, std::uint32_t>::first), 15);
  EXPECT_THAT(segments(room.send(room.other.path.rate.next_release())), ElementsAre(Pair(1, 4)));
}

TEST(Sending, a_leg_knows_how_many_segments_go_to_other_hosts) {
  EndpointConfig config = config_of(4);
  config.hosts = {0, 0, 1, 1};
  SendingRoom room(config);
  room.begin_leg(two_segments);
  EXPECT_EQ(room.state.leg_segments, 4u);
}

TEST(Sending, acknowledgements_go_first) {
  RoomState<PaperRounds> room;
  room.begin_leg(100);
  room.state.queue.acknowledgements.push_back({1, replies, 4, 17});
  const auto datagrams = room.send();
  ASSERT_EQ(datagrams.size(), 2u);
  EXPECT_EQ(datagrams[0].header.kind, DatagramKind::ack);
  WireReader in = datagrams[0].reader();
  const auto acknowledgement = read_segment_ack(in);
  ASSERT_TRUE(acknowledgement);
  EXPECT_EQ(acknowledgement->message, replies);
  EXPECT_EQ(acknowledgement->round, 4);
  EXPECT_EQ(acknowledgement->segment, 17u);
}

TEST(Sending, data_of_a_later_leg_says_that_everything_before_it_has_arrived) {
  SendingRoom room;
  room.begin_leg(100);
  room.other.report.newest_complete = {0, Leg::messages};
  room.state.alarm.set(1, Timer::acknowledge, start + 5ms);
  room.send();
  EXPECT_EQ(room.other.timers.at(Timer::acknowledge), start + 5ms) << "this leg's data does not";
  room.begin_leg(100, start, replies);
  room.send();
  EXPECT_EQ(room.other.timers.at(Timer::acknowledge), never);
}

TEST(Sending, only_a_first_transmission_gets_on) {
  SendingRoom room;
  room.begin_leg(100);
  room.send(start + 1ms);
  EXPECT_EQ(room.state.last_moved, start + 1ms);
  room.state.queue.repairs.push({1, room.state.legs.id(), 0});
  room.send(start + 2ms);
  EXPECT_EQ(room.state.last_moved, start + 1ms);
}

TEST(Sending, a_message_above_the_ceiling_is_refused_with_its_superstep) {
  EndpointConfig config = config_of(2);
  config.options.max_message_bytes = 1000;
  SendingRoom room(config);
  EXPECT_NO_THROW(room.sending.check_size(1, Bytes(1000), 3));
  try {
    room.sending.check_size(1, Bytes(1001), 3);
    FAIL();
  } catch (const MessageTooLarge& error) {
    EXPECT_STREQ(error.what(),
                 "rank 0 sends 1001 bytes to rank 1 in superstep 3, the ceiling is 1000: send less "
                 "per superstep, or raise --max-message");
  }
}

/// The path to rank 1 turns out to be narrower than it was taken for.
void narrow(SendingRoom& room) {
  room.other.path.sizes.limit(1000);
  room.state.cut_anew(room.other);
}

TEST(CutAnew, a_message_begins_again_and_what_waited_of_it_in_longer_segments_is_forgotten) {
  SendingRoom room;
  room.begin_leg(3000);
  ASSERT_TRUE(room.send_one());
  room.state.queue.repairs.push(RepairJob{1, room.state.legs.id(), 0});
  room.state.queue.spares.push_back({1, room.state.legs.id(), 0, 0, never});
  room.other.outbound.held_back.push_back({1, room.state.legs.id(), 1, 2});
  narrow(room);
  EXPECT_TRUE(room.state.queue.spares.empty());
  EXPECT_TRUE(room.other.outbound.held_back.empty());
  EXPECT_FALSE(room.state.queue.repairs.ready());
  EXPECT_THAT(segments(room.send()), ElementsAre(Pair(1, 0), Pair(1, 1), Pair(1, 2), Pair(1, 3)));
}

TEST(CutAnew, messages_to_others_go_on) {
  SendingRoom room(3);
  room.begin_leg(two_segments);
  ASSERT_EQ(room.send_one()->header.destination, 1);
  narrow(room);
  EXPECT_THAT(segments(room.send()), ElementsAre(Pair(2, 0), Pair(1, 0), Pair(2, 1), Pair(1, 1), Pair(1, 2)));
}

TEST(CutAnew, what_has_arrived_is_not_sent_again) {
  SendingRoom room;
  room.begin_leg(3000);
  room.send();
  room.outgoing().acknowledge_all();
  narrow(room);
  EXPECT_THAT(room.send(), IsEmpty());
  EXPECT_TRUE(room.outgoing().acknowledged());
}

TEST(CutAnew, segments_that_the_path_carries_stay_as_they_are) {
  SendingRoom room;
  room.begin_leg(3000);
  room.send();
  room.state.cut_anew(room.other);
  EXPECT_THAT(room.send(), IsEmpty());
}

}  // namespace
}  // namespace lbsp::transport
