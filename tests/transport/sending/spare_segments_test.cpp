#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sending_room.hpp"

/// Coded segments that go when nothing else is left to go.
namespace lbsp::transport {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using namespace testing;

/// Of nine blocks, with one planned and two spare coded segments each.
void begin_long_message(SendingRoom& room) {
  room.begin_leg(1'500'000);
  MessagePlan plan = room.plan(1, true, 1);
  plan.most_segments = 3;
  room.outgoing().set_plan(plan);
}

std::size_t coded_among(const std::vector<Opened>& datagrams) {
  return static_cast<std::size_t>(std::ranges::count_if(
      datagrams, [](const Opened& each) { return each.header.kind == DatagramKind::coded; }));
}

TEST(SpareSegments, spare_coded_segments_follow_everything_else_one_block_after_the_other) {
  SendingRoom room;
  begin_long_message(room);
  const auto datagrams = room.send();
  const std::uint32_t blocks = room.outgoing().blocks().layout().blocks();
  ASSERT_EQ(coded_among(datagrams), 3u * blocks);
  const auto list = segments(datagrams);
  std::vector<std::uint32_t> last;
  for (std::size_t i = list.size() - 2u * blocks; i < list.size(); ++i) {
    EXPECT_EQ(datagrams[i].header.kind, DatagramKind::coded);
    last.push_back(list[i].second);
  }
  for (std::size_t i = 0; i < last.size(); ++i)
    EXPECT_EQ(last[i], i % blocks);
  EXPECT_THAT(room.send(), IsEmpty());
}

TEST(SpareSegments, spare_coded_segments_wait_for_copies_and_repairs_of_the_leg_and_end_with_it) {
  SendingRoom room;
  begin_long_message(room);
  while (room.state.queue.data_ready())
    room.send_one();
  ASSERT_FALSE(room.state.queue.spares.empty());
  room.state.queue.repairs.push({1, room.state.legs.id(), 7});
  EXPECT_THAT(segments({*room.send_one()}), ElementsAre(Pair(1, 7)));
  room.begin_leg(100, start, replies);
  EXPECT_EQ(coded_among(room.send()), 0u) << "of a leg that is over";
}

/// Of nine blocks with one planned coded segment each, two more if none are spare, and one that is always spare.
void begin_long_message_before_another(SendingRoom& room) {
  room.begin_leg(1'500'000);
  MessagePlan plan = room.plan(1, true, 1);
  plan.most_segments = 4;
  plan.without_spares = 3;
  room.outgoing().set_plan(plan);
}

/// Before the next leg's message, which is one segment.
std::size_t coded_before_the_last_segment(const std::vector<Opened>& datagrams) {
  std::vector<Opened> before = datagrams;
  while (!before.empty() && before.back().header.kind != DatagramKind::data)
    before.pop_back();
  return coded_among(before);
}

TEST(SpareSegments, when_the_leg_ends_before_they_have_gone_some_go_before_the_next_legs_message) {
  SendingRoom room;
  begin_long_message_before_another(room);
  const std::uint32_t blocks = room.outgoing().blocks().layout().blocks();
  std::vector<Opened> before;
  while (room.state.queue.spares.empty())
    before.push_back(*room.send_one());
  before.push_back(*room.send_one());
  ASSERT_GT(coded_among(before), blocks) << "a spare one";
  room.begin_leg(100, start, replies);
  const auto datagrams = room.send();
  EXPECT_EQ(coded_among(before) + coded_before_the_last_segment(datagrams), 3u * blocks);
  EXPECT_EQ(coded_among(before) + coded_among(datagrams), 3u * blocks);
}

TEST(SpareSegments, when_the_leg_ends_while_its_message_is_being_sent_no_block_counts_on_spare_ones) {
  SendingRoom room;
  begin_long_message_before_another(room);
  const std::uint32_t blocks = room.outgoing().blocks().layout().blocks();
  room.send_one();
  room.begin_leg(100, start, replies);
  const auto datagrams = room.send();
  EXPECT_EQ(coded_before_the_last_segment(datagrams), 3u * blocks);
  EXPECT_EQ(coded_among(datagrams), 3u * blocks);
}

TEST(SpareSegments, a_leg_that_is_over_gives_blocks_that_have_none_planned_no_spare_ones) {
  SendingRoom room;
  room.begin_leg(1'500'000);
  MessagePlan plan = room.plan(1, true, 1);
  plan.most_segments = 4;
  plan.without_spares = 3;
  plan.first_protected = room.outgoing().segment_count() - 1;
  room.outgoing().set_plan(plan);
  room.send_one();
  room.begin_leg(100, start, replies);
  EXPECT_EQ(coded_among(room.send()), 3u);
}

TEST(SpareSegments, spare_coded_segments_keep_to_the_rate_of_their_path) {
  SendingRoom bounded;
  bounded.other.path.rate.hold(BytesPerSecond{1e12}, 1400, start);
  begin_long_message(bounded);
  const auto datagrams = bounded.send();
  EXPECT_EQ(coded_among(datagrams), 3u * bounded.outgoing().blocks().layout().blocks());

  SendingRoom exhausted;
  begin_long_message(exhausted);
  while (exhausted.state.queue.data_ready())
    exhausted.send_one();
  exhausted.other.path.rate.hold(BytesPerSecond{1}, 1400, start);
  exhausted.other.path.rate.sent(1'000'000, BytesPerSecond{1}, start);
  EXPECT_THAT(exhausted.send(), IsEmpty());
}

TEST(SpareSegments, blocks_that_have_arrived_get_no_spare_coded_segments) {
  SendingRoom room;
  begin_long_message(room);
  while (room.state.queue.data_ready())
    room.send_one();
  for (std::uint32_t i = room.outgoing().blocks().layout().begin(1); i < room.outgoing().segment_count(); ++i)
    room.outgoing().acknowledge(i);
  EXPECT_THAT(segments(room.send()), AllOf(Not(IsEmpty()), Each(Pair(1, 0))));
}

TEST(SpareSegments, of_what_was_sent_long_ago_reports_tell_and_no_spare_segments_go) {
  SendingRoom room;
  begin_long_message(room);
  const BlockLayout layout = room.outgoing().blocks().layout();
  Instant now = start;
  for (std::uint32_t i = 0; i < layout.begin(1) + 1; ++i)
    room.send_one(now);
  now += 2 * room.other.path.times.round_trip();
  EXPECT_EQ(coded_among(room.send(now)), 3u * (layout.blocks() - 1))
      << "the first block's planned one was sent";
}

TEST(SpareSegments, a_block_has_just_been_sent_if_its_last_segment_has) {
  SendingRoom room;
  begin_long_message(room);
  while (room.outgoing().first_never_sent() + 1 < room.outgoing().segment_count())
    room.send_one();
  EXPECT_EQ(coded_among(room.send(start + 1s)), 3u) << "of the last block";
}

}  // namespace
}  // namespace lbsp::transport
