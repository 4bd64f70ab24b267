#include "transport/core/assembly.hpp"

#include <array>
#include <gtest/gtest.h>

#include "tests/transport/message_ids.hpp"
#include "tests/transport/room_state.hpp"

/// How segments become messages.
namespace lbsp::transport {
namespace {

using testing::first;

using namespace testing;

class AssemblyTest : public ::testing::Test {
 protected:
  AssemblyTest() { room_.begin_leg(100); }

  bool take(const SegmentHeader& header, std::size_t bytes = 1000, Instant now = start) {
    return assembly_.take(room_.other, header, Bytes(bytes), false, now);
  }
  /// A segment of a message of this length; the message's last one may be shorter.
  bool take(std::uint64_t total, std::uint32_t segment, Instant now = start) {
    return take(segment_of(first, total, segment),
                std::min<std::size_t>(1000, total - std::size_t{1000} * segment), now);
  }
  SegmentHeader cut(std::uint16_t segment_bytes, std::uint32_t segment) {
    SegmentHeader header = segment_of(first, 3000, segment);
    header.segment_bytes = segment_bytes;
    return header;
  }
  IncomingMessage* message() { return room_.other.inbound.messages.find(first); }
  std::uint64_t duplicates() { return room_.state.counters.segments_duplicate; }

  RoomState<ReceiverDriven> room_;
  Assembly assembly_{room_.state};
};

TEST_F(AssemblyTest, the_first_segment_makes_the_message_and_the_last_one_ends_the_leg) {
  EXPECT_TRUE(take(2500, 2));
  ASSERT_NE(message(), nullptr);
  EXPECT_EQ(message()->total_bytes(), 2500u);
  EXPECT_TRUE(take(2500, 0));
  EXPECT_TRUE(room_.state.legs.active());
  EXPECT_TRUE(take(2500, 1));
  EXPECT_FALSE(room_.state.legs.active());
  EXPECT_EQ(duplicates(), 0u);
}

TEST_F(AssemblyTest, messages_are_handed_out_once_by_rank) {
  take(700, 0);
  const auto messages = assembly_.take_messages();
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_TRUE(messages[0].empty());
  EXPECT_EQ(messages[1].size(), 700u);
  EXPECT_EQ(room_.state.counters.payload_bytes_received, 700u);
  EXPECT_EQ(message(), nullptr);
}

TEST_F(AssemblyTest, what_has_arrived_already_is_a_duplicate_also_after_its_leg) {
  take(2500, 0);
  EXPECT_TRUE(take(2500, 0));
  EXPECT_EQ(duplicates(), 1u);
  take(2500, 1);
  take(2500, 2);
  assembly_.take_messages();
  EXPECT_TRUE(take(2500, 1));
  EXPECT_EQ(duplicates(), 2u);
  EXPECT_EQ(message(), nullptr) << "it is not made again";
}

TEST_F(AssemblyTest, an_arrival_is_progress_and_a_duplicate_is_none) {
  room_.other.report.idle = 7;
  take(2500, 0, start + 1s);
  EXPECT_EQ(room_.other.wait.progress_at, start + 1s);
  EXPECT_EQ(room_.other.report.idle, 0u);
  take(2500, 0, start + 2s);
  EXPECT_EQ(room_.other.wait.progress_at, start + 1s);
}

TEST_F(AssemblyTest, headers_that_make_no_sense_make_no_message) {
  SegmentHeader too_long = segment_of(first, room_.state.config.options.max_message_bytes + 1, 0);
  EXPECT_FALSE(take(too_long));
  SegmentHeader tiny = segment_of(first, 3000, 0);
  tiny.segment_bytes = 100;
  EXPECT_FALSE(take(tiny, 100));
  EXPECT_FALSE(take(segment_of(first, 3000, 3)));
  EXPECT_EQ(message(), nullptr);
}

TEST_F(AssemblyTest, what_contradicts_the_message_changes_nothing) {
  take(2500, 0);
  EXPECT_FALSE(take(segment_of(first, 2600, 1)));
  EXPECT_FALSE(take(segment_of(first, 2500, 1), 999));
  EXPECT_EQ(message()->arrived().count(), 1u);
}

TEST_F(AssemblyTest, a_message_of_the_next_superstep_is_kept_and_ends_no_leg) {
  const SegmentHeader early = segment_of({1, Leg::messages}, 10, 0);
  EXPECT_TRUE(take(early, 10));
  EXPECT_TRUE(room_.state.legs.active());
  EXPECT_NE(room_.other.inbound.messages.find(early.message), nullptr);
}

TEST_F(AssemblyTest, a_message_that_comes_in_shorter_segments_begins_again) {
  take(cut(1000, 0));
  EXPECT_TRUE(take(cut(600, 0), 600));
  EXPECT_EQ(message()->segment_count(), 5u);
  EXPECT_EQ(message()->arrived().count(), 1u);
  EXPECT_TRUE(take(cut(1000, 1))) << "of the older cut: it says nothing";
  EXPECT_EQ(message()->arrived().count(), 1u);
  EXPECT_EQ(duplicates(), 1u);
}

TEST_F(AssemblyTest, the_peers_segments_tell_how_long_datagrams_to_it_may_be) {
  take(cut(600, 0), 600);
  EXPECT_EQ(room_.other.path.sizes.in_use(), 600 + data_overhead_bytes);
  take(segment_of({0, Leg::replies}, 10, 0), 10);
  EXPECT_EQ(room_.other.path.sizes.in_use(), 600 + data_overhead_bytes) << "it does not grow again";
}

TEST_F(AssemblyTest, coded_segments_complete_a_message_too) {
  take(2000, 0);
  SegmentHeader coded = segment_of(first, 2000, 0);
  EXPECT_TRUE(assembly_.take(room_.other, coded, Bytes(1000), true, start));
  EXPECT_TRUE(message()->complete());
  EXPECT_FALSE(room_.state.legs.active());
}

TEST_F(AssemblyTest, the_best_rate_is_of_the_fastest_long_message) {
  EXPECT_EQ(assembly_.best_rate(), BytesPerSecond{0});
  for (std::uint32_t i = 0; i < 200; ++i)
    take(200'000, i, start + i * 1ms);
  EXPECT_NEAR(assembly_.best_rate().value, 200'000 / 0.199, 1);
}

TEST(Assembly, with_the_papers_rounds_a_message_is_kept_when_it_is_taken_and_never_begins_again) {
  RoomState<PaperRounds> room;
  Assembly assembly(room.state);
  room.begin_leg(100);
  SegmentHeader header = segment_of(first, 3000, 0);
  EXPECT_TRUE(assembly.take(room.other, header, Bytes(1000), false, start));
  header.segment_bytes = 600;
  EXPECT_FALSE(assembly.take(room.other, header, Bytes(600), false, start));
  for (const std::uint32_t i : {1u, 2u})
    EXPECT_TRUE(assembly.take(room.other, segment_of(first, 3000, i), Bytes(1000), false, start));
  EXPECT_EQ(assembly.take_messages()[1].size(), 3000u);
  EXPECT_NE(room.other.inbound.messages.find(first), nullptr);
}

TEST_F(AssemblyTest, a_message_of_the_ceiling_in_the_shortest_segments_is_taken_and_no_other_beyond) {
  constexpr std::size_t least = min_datagram_bytes - data_overhead(UINT64_MAX, false);
  SegmentHeader header = segment_of(first, 10 * least, 3);
  header.segment_bytes = least - 1;
  EXPECT_FALSE(take(header, least - 1));
  header.segment_bytes = least;
  EXPECT_TRUE(take(header, least));
  EndpointConfig config = config_of(2);
  config.options.max_message_bytes = 1000;
  RoomState<ReceiverDriven> room(config);
  Assembly assembly(room.state);
  EXPECT_FALSE(assembly.take(room.other, segment_of(first, 1001, 0), Bytes(1000), false, start));
  EXPECT_TRUE(assembly.take(room.other, segment_of(first, 1000, 0), Bytes(1000), false, start));
}

/// A message of so many segments, one a millisecond from the second on.
BytesPerSecond arrival_rate(std::uint32_t count, Duration between) {
  IncomingMessage message(segment_of(first, count * 1000, 0));
  for (std::uint32_t i = 0; i < count; ++i)
    message.accept(segment_of(first, count * 1000, i), Bytes(1000), start + i * between);
  return message.arrival_rate();
}

TEST(IncomingMessage, of_128_segments_or_more_tells_its_rate) {
  EXPECT_DOUBLE_EQ(arrival_rate(128, 1ms).value, 128'000 / 0.127);
  EXPECT_EQ(arrival_rate(127, 1ms).value, 0);
  EXPECT_EQ(arrival_rate(128, 0ms).value, 0) << "all at once";
}

TEST(IncomingMessage, that_begins_again_holds_no_coded_segments) {
  IncomingMessage message(segment_of(first, 8000, 0));
  message.accept_coded(segment_of(first, 8000, 0), Bytes(1000), start);
  ASSERT_EQ(message.held().size(), 1u);
  message.restart(500);
  EXPECT_TRUE(message.held().empty());
  EXPECT_EQ(message.segment_count(), 16u);
}

TEST(IncomingMessage, describes_no_more_than_the_bitmap_has_room_for) {
  IncomingMessage message(segment_of(first, 40'000, 0));
  for (std::uint32_t i = 1; i < 40; ++i)
    message.accept(segment_of(first, 40'000, i), Bytes(1000), start);
  std::array<std::byte, 3> bitmap{};
  StatusEntry entry;
  EXPECT_EQ(message.describe(0, std::span(bitmap).first(2), entry), 16u);
  EXPECT_EQ(bitmap[2], std::byte{0});
  EXPECT_FALSE(entry.rest_missing);
}

TEST(OutgoingMessage, cut_anew_is_protected_from_the_same_byte_on_and_nothing_of_it_has_arrived) {
  OutgoingMessage message(first, Bytes(4000), 400);
  MessagePlan plan;
  plan.first_protected = 5;
  message.set_plan(plan);
  message.acknowledge(0);
  message.cut_anew(200);
  EXPECT_EQ(message.plan().first_protected, 10u);
  EXPECT_EQ(message.unacknowledged(), 20u);
  EXPECT_FALSE(message.take_longest_acknowledged());
}

TEST(OutgoingMessage, that_has_arrived_has_no_segment_that_may_be_sent_again) {
  OutgoingMessage message(first, Bytes(4000), 400);
  message.acknowledge_all();
  for (std::uint32_t i = 0; i < 10; ++i)
    EXPECT_TRUE(message.segment(i).acknowledged);
  EXPECT_EQ(message.next_in_pass(0, 0), std::nullopt);
}

}  // namespace
}  // namespace lbsp::transport
