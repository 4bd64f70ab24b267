#include <algorithm>
#include <array>
#include <gtest/gtest.h>

#include "transport/messages/incoming_message.hpp"
#include "transport/messages/loss_detection.hpp"
#include "transport/messages/outgoing_message.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr MessageId id{3, Leg::messages};

Bytes counting(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<std::byte>(i * 31);
  return bytes;
}

SegmentHeader header_of(const OutgoingMessage& message, std::uint32_t segment) {
  return {{}, message.id(), 0, message.total_bytes(), segment, message.segment_bytes()};
}

/// Carries the named segments from one to the other.
void carry(const OutgoingMessage& from, IncomingMessage& to, std::initializer_list<std::uint32_t> segments) {
  for (const std::uint32_t segment : segments) {
    EXPECT_EQ(to.accept(header_of(from, segment), from.payload(segment), Instant{}),
              IncomingMessage::Accepted::segment);
  }
}

TEST(SegmentsOf, counts_the_last_partial_one_and_one_for_nothing) {
  EXPECT_EQ(segments_of(0, 100), 1u);
  EXPECT_EQ(segments_of(1, 100), 1u);
  EXPECT_EQ(segments_of(100, 100), 1u);
  EXPECT_EQ(segments_of(101, 100), 2u);
  EXPECT_EQ(segments_of(std::uint64_t{4} << 30, 1334), 3'219'616u);
}

TEST(IncomingMessage, is_put_together_in_any_order) {
  const OutgoingMessage sent(id, counting(250), 100);
  IncomingMessage message(header_of(sent, 2));
  carry(sent, message, {2, 0});
  EXPECT_FALSE(message.complete());
  EXPECT_EQ(message.arrived().first_missing(), 1u);
  carry(sent, message, {1});
  EXPECT_TRUE(message.complete());
  EXPECT_EQ(message.take_payload(), counting(250));
}

TEST(IncomingMessage, tells_duplicates_and_contradictions) {
  const OutgoingMessage sent(id, counting(250), 100);
  IncomingMessage message(header_of(sent, 0));
  carry(sent, message, {0});
  EXPECT_EQ(message.accept(header_of(sent, 0), sent.payload(0), Instant{}),
            IncomingMessage::Accepted::duplicate);

  const auto contradicts = [&](SegmentHeader header, std::span<const std::byte> segment) {
    return message.accept(header, segment, Instant{}) == IncomingMessage::Accepted::contradiction;
  };
  SegmentHeader wrong = header_of(sent, 1);
  EXPECT_TRUE(contradicts(wrong, sent.payload(1).first(99))) << "short";
  EXPECT_TRUE(contradicts(header_of(sent, 2), sent.payload(1))) << "longer than the end";
  wrong.segment = 3;
  EXPECT_TRUE(contradicts(wrong, sent.payload(1))) << "beyond the end";
  wrong = header_of(sent, 1);
  wrong.total_bytes = 251;
  EXPECT_TRUE(contradicts(wrong, sent.payload(1))) << "another length";
  wrong = header_of(sent, 1);
  wrong.segment_bytes = 99;
  EXPECT_TRUE(contradicts(wrong, sent.payload(1))) << "another division";
}

TEST(IncomingMessage, an_empty_one_is_complete_with_its_one_segment) {
  const OutgoingMessage sent(id, {}, 100);
  IncomingMessage message(header_of(sent, 0));
  EXPECT_FALSE(message.complete());
  carry(sent, message, {0});
  EXPECT_TRUE(message.complete());
}

TEST(IncomingMessage, describes_all_that_it_has_in_as_many_pieces_as_it_takes) {
  const OutgoingMessage sent(id, counting(10'000), 100);
  IncomingMessage message(header_of(sent, 0));
  carry(sent, message, {0, 1, 3, 17, 40});
  std::array<std::byte, 2> bitmap{};
  StatusEntry entry;
  std::uint32_t next = message.arrived().first_missing();
  std::vector<std::uint32_t> told;
  int pieces = 0;
  while (next < message.segment_count()) {
    EXPECT_EQ(entry.rest_missing, false);
    next = message.describe(next, bitmap, entry);
    EXPECT_EQ(entry.prefix_complete, ++pieces == 1);
    for (std::uint16_t bit = 0; bit < entry.bits; ++bit) {
      if (entry.has(bit)) told.push_back(entry.first + bit);
    }
  }
  EXPECT_EQ(told, (std::vector<std::uint32_t>{3, 17, 40}));
  EXPECT_TRUE(entry.rest_missing);
  EXPECT_EQ(pieces, 3);
}

TEST(IncomingMessage, is_acknowledged_once_in_each_round) {
  const OutgoingMessage sent(id, counting(250), 100);
  IncomingMessage message(header_of(sent, 0));
  EXPECT_TRUE(message.first_in_round(1, 1));
  EXPECT_FALSE(message.first_in_round(1, 1));
  EXPECT_TRUE(message.first_in_round(0, 1));
  EXPECT_TRUE(message.first_in_round(1, 2));
}

TEST(OutgoingMessage, a_pass_goes_over_what_is_not_acknowledged) {
  OutgoingMessage message(id, counting(400), 100);
  for (std::uint32_t i = 0; i < 4; ++i)
    message.sent(i, i, Instant{});
  message.acknowledge(0);
  message.acknowledge(2);
  EXPECT_EQ(message.next_in_pass(1, 0), 1u);
  EXPECT_EQ(message.next_in_pass(1, 2), 3u);
  EXPECT_EQ(message.next_in_pass(1, 4), std::nullopt);
}

TEST(OutgoingMessage, a_repair_takes_the_place_of_a_copy) {
  OutgoingMessage message(id, counting(200), 100);
  for (std::uint32_t i = 0; i < 2; ++i)
    message.sent(i, i, Instant{});
  message.sent(0, 2, Instant{});
  EXPECT_EQ(message.next_in_pass(1, 0), 1u);
}

TEST(OutgoingMessage, a_whole_round_forgets_what_was_acknowledged_and_a_selective_one_does_not) {
  OutgoingMessage message(id, counting(200), 100);
  message.sent(0, 0, Instant{});
  message.sent(1, 1, Instant{});
  message.acknowledge(0);
  message.begin_round(false);
  EXPECT_EQ(message.next_in_pass(0, 0), 1u);
  message.begin_round(true);
  EXPECT_EQ(message.next_in_pass(0, 0), 0u);
  message.acknowledge(0);
  message.acknowledge(1);
  EXPECT_TRUE(message.acknowledged());
}

TEST(OutgoingMessage, knows_the_blocks_of_which_all_has_arrived) {
  OutgoingMessage message(id, counting(30'000), 100);  // three blocks of 100
  message.set_plan({1, 2, 0, true});
  for (std::uint32_t i = 100; i < 200; ++i) {
    EXPECT_FALSE(block_acknowledged(message, 1)) << i;
    message.acknowledge(i);
  }
  EXPECT_FALSE(block_acknowledged(message, 0));
  EXPECT_TRUE(block_acknowledged(message, 1));
  EXPECT_FALSE(block_acknowledged(message, 2));
}

/// A message of ten segments, sent once each as packets 0 … 9, one per millisecond from time 0.
class LossDetectionTest : public ::testing::Test {
 protected:
  LossDetectionTest() : message(id, counting(1000), 100) {
    for (std::uint32_t i = 0; i < 10; ++i)
      message.sent(i, i, Instant{i * 1ms});
    // One round trip of 80 ms is known.
    path.sent(1000, Instant{});
    path.echoed(Echo{1001, 0}, Instant{80ms});
  }

  static StatusHeader report(Echo echo, Duration reordering = 0ms) {
    StatusHeader header;
    header.echo = echo;
    header.reordering = reordering;
    return header;
  }

  std::vector<std::uint32_t> lost(Echo echo, StatusEntry entry, Instant now, Duration reordering = 0ms) {
    std::vector<std::uint32_t> found;
    // Packet i went out in millisecond i.
    const PathEstimate::Sent newest{echo.packets - 1, Instant{(echo.packets - 1) * 1ms}, 0, 100};
    LossDetection(report(echo, reordering), path, newest, 0ms, now).apply(entry, message, found);
    return found;
  }

  static StatusEntry having(std::initializer_list<int> segments) {
    static std::array<std::byte, 2> bitmap;
    bitmap = {};
    for (const int segment : segments) {
      bitmap[static_cast<std::size_t>(segment) / 8] |= static_cast<std::byte>(1 << segment % 8);
    }
    return {id, false, true, true, 0, 10, bitmap};
  }

  OutgoingMessage message;
  PathEstimate path;
};

TEST_F(LossDetectionTest, three_later_packets_make_a_loss_of_a_gap) {
  EXPECT_EQ(lost({8, 0}, having({0, 1, 2, 3, 5, 6, 7}), Instant{50ms}), (std::vector<std::uint32_t>{4}));
}

TEST_F(LossDetectionTest, a_packet_just_overtaken_is_not_lost_yet) {
  EXPECT_TRUE(lost({6, 0}, having({0, 1, 2, 3, 5}), Instant{50ms}).empty());
}

TEST_F(LossDetectionTest, a_packet_overtaken_is_lost_once_the_receiver_has_waited_for_it) {
  EXPECT_EQ(lost({6, 6000}, having({0, 1, 2, 3, 5}), Instant{50ms}), (std::vector<std::uint32_t>{4}));
}

TEST_F(LossDetectionTest, the_receiver_s_window_may_be_a_little_shorter_than_the_sender_s) {
  EXPECT_EQ(lost({6, 4990}, having({0, 1, 2, 3, 5}), Instant{50ms}), (std::vector<std::uint32_t>{4}));
  EXPECT_TRUE(lost({6, 4000}, having({0, 1, 2, 3, 5}), Instant{50ms}).empty());
}

TEST_F(LossDetectionTest, where_packets_overtake_each_other_time_alone_tells) {
  const StatusEntry entry = having({0, 1, 2, 3, 8, 9});
  EXPECT_EQ(lost({10, 0}, entry, Instant{50ms}), (std::vector<std::uint32_t>{4, 5, 6}));
  EXPECT_TRUE(lost({10, 0}, entry, Instant{50ms}, 20ms).empty()) << "as late as 20 ms";
  EXPECT_TRUE(lost({10, 11'000}, entry, Instant{61ms}, 20ms).empty());
  EXPECT_EQ(lost({10, 13'500}, entry, Instant{63ms}, 20ms), (std::vector<std::uint32_t>{4, 5}))
      << "the newest arrived 13.5 ms ago, and an eighth of the window may lack";
  EXPECT_TRUE(lost({10, 0}, entry, Instant{111ms}, 20ms).empty());
  EXPECT_EQ(lost({10, 0}, entry, Instant{116ms}, 20ms), (std::vector<std::uint32_t>{4, 5}))
      << "a round trip, an eighth and 20 ms";
}

TEST_F(LossDetectionTest, the_tail_is_lost_after_nine_eighths_of_a_round_trip) {
  const StatusEntry entry = having({0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_TRUE(lost({8, 0}, entry, Instant{97ms}).empty());
  EXPECT_EQ(lost({8, 0}, entry, Instant{101ms}), (std::vector<std::uint32_t>{8, 9}));
}

TEST_F(LossDetectionTest, a_repair_is_not_lost_before_a_report_could_tell_of_it) {
  message.sent(4, 10, Instant{60ms});
  EXPECT_TRUE(lost({10, 9000}, having({0, 1, 2, 3, 5, 6, 7, 8, 9}), Instant{70ms}).empty());
  EXPECT_EQ(lost({10, 9000}, having({0, 1, 2, 3, 5, 6, 7, 8, 9}), Instant{160ms}),
            (std::vector<std::uint32_t>{4}));
}

TEST_F(LossDetectionTest, what_waits_to_be_repaired_is_not_found_again) {
  message.segment(4).repair_queued = true;
  EXPECT_TRUE(lost({10, 9000}, having({0, 1, 2, 3, 5, 6, 7, 8, 9}), Instant{160ms}).empty());
}

TEST_F(LossDetectionTest, a_report_acknowledges_what_it_has) {
  lost({10, 0}, having({0, 1, 9}), Instant{50ms});
  EXPECT_EQ(message.first_unacknowledged(), 2u);
  EXPECT_TRUE(message.segment(9).acknowledged);
}

TEST_F(LossDetectionTest, a_message_without_an_entry_has_lost_all_that_is_old) {
  std::vector<std::uint32_t> found;
  LossDetection(report({8, 0}), path, std::nullopt, 0ms, Instant{50ms}).apply_absence(message, found);
  EXPECT_EQ(found, (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
}

TEST_F(LossDetectionTest, a_report_about_what_was_never_sent_does_no_harm) {
  OutgoingMessage fresh(id, counting(1000), 100);
  std::vector<std::uint32_t> found;
  static constexpr std::array<std::byte, 10> all{std::byte{0xff}, std::byte{0xff}, std::byte{0xff}};
  LossDetection(report({8, 0}), path, std::nullopt, 0ms, Instant{50ms})
      .apply({id, false, true, true, 500, 80, all}, fresh, found);
  EXPECT_TRUE(found.empty());
  EXPECT_EQ(fresh.first_unacknowledged(), 0u);
}

}  // namespace
}  // namespace lbsp::transport
