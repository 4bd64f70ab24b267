#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "byte_values.hpp"
#include "transport/wire/format.hpp"

/// The header of a segment: its fields, and what it costs.
namespace lbsp::transport {
namespace {

using testing::values;

/// What a header is on the wire.
std::vector<std::byte> written(const SegmentHeader& header) {
  std::vector<std::byte> bytes(100);
  WireWriter out(bytes);
  write(out, header);
  bytes.resize(out.written());
  return bytes;
}

/// The same with a segment behind it.
std::vector<std::byte> datagram_of(const SegmentHeader& header) {
  std::vector<std::byte> bytes = written(header);
  bytes.resize(bytes.size() + header.segment_bytes - header.shorter_by);
  return bytes;
}

TEST(SegmentHeaderFormat, a_whole_segments_header_stands_byte_by_byte_as_documented) {
  EXPECT_EQ(values(written({{}, {0x01020304, Leg::messages}, 0, 0x060708, 0x0b0c, 1000})),
            (std::vector<int>{0, 17, 12, 8, 7, 6, 0x0c, 0x0b}));
}

TEST(SegmentHeaderFormat, that_of_a_long_message_stands_byte_by_byte_as_documented) {
  EXPECT_EQ(values(written({{}, {1, Leg::messages}, 0, 0x010203040506, 0x0a0b0c0d, 1000})),
            (std::vector<int>{4, 5, 0, 6, 5, 4, 3, 2, 1, 0x0d, 0x0c, 0x0b, 0x0a}));
}

TEST(SegmentHeaderFormat, a_segments_header_with_everything_stands_byte_by_byte_as_documented) {
  const SegmentHeader header{
      Echo{1, 2, 10, 11, {8, 9}}, {3, Leg::replies}, 4, (std::uint64_t{7} << 32) + 5, 6, 1000, 70};
  EXPECT_EQ(values(written(header)), (std::vector<int>{15,   14, 0, 5, 0, 0, 0, 7,  0, 6, 0,  0, 0, 4, 0,
                                                       0x40, 70, 1, 0, 0, 2, 0, 10, 0, 0, 11, 0, 8, 9}));
}

TEST(SegmentHeaderFormat, a_coded_segments_header_stands_byte_by_byte_as_documented) {
  SegmentHeader header{{}, {1, Leg::messages}, 127, 5, 0x0103, 1000};
  header.coded = true;
  EXPECT_EQ(values(written(header)), (std::vector<int>{0, 5, 0, 5, 0, 0, 0xff, 0x81}));
}

/// What a datagram carries besides the segment.
std::size_t overhead(const SegmentHeader& header) {
  return clear_header_bytes + written(header).size() + tag_bytes;
}

TEST(SegmentHeaderFormat, a_whole_segment_costs_34_bytes_and_46_with_an_echo) {
  SegmentHeader header{{}, {UINT32_MAX, Leg::replies}, 0, long_message_bytes - 1, UINT16_MAX, 1000};
  EXPECT_EQ(overhead(header), 34u);
  header.echo = Echo{};
  EXPECT_EQ(overhead(header), 46u);
  EXPECT_EQ(data_overhead_bytes, 46u);
  header = {{}, {UINT32_MAX, Leg::replies}, 127, long_message_bytes - 1, UINT16_MAX / 128, 1000};
  header.coded = true;
  EXPECT_EQ(overhead(header), 34u);
}

TEST(SegmentHeaderFormat, a_long_message_and_a_round_cost_more) {
  SegmentHeader header{Echo{}, {1, Leg::messages}, 0, 0, 2, 1000};
  for (const std::uint64_t total : {long_message_bytes - 1, long_message_bytes}) {
    header.total_bytes = total;
    for (const std::uint16_t round : std::initializer_list<std::uint16_t>{0, 1}) {
      header.round = round;
      EXPECT_EQ(overhead(header), data_overhead(total, round > 0));
      EXPECT_EQ(overhead(header), 46u + (total >= long_message_bytes ? 5 : 0) + 2u * round);
    }
  }
}

TEST(SegmentHeaderFormat, tells_how_long_a_datagram_of_a_whole_segment_with_an_echo_is) {
  SegmentHeader header{{}, {1, Leg::messages}, 0, 5000, 2, 1000};
  EXPECT_EQ(whole_datagram_bytes(header), 1046u);
  header.echo = Echo{};
  EXPECT_EQ(whole_datagram_bytes(header), 1046u);
  header.shorter_by = 700;
  EXPECT_EQ(whole_datagram_bytes(header), 1046u);
  header.total_bytes = std::uint64_t{1} << 23;
  EXPECT_EQ(whole_datagram_bytes(header), 1051u);
  header.round = 1;
  EXPECT_EQ(whole_datagram_bytes(header), 1053u);
  header.coded = true;
  EXPECT_EQ(whole_datagram_bytes(header), 1051u) << "that is its number in the block";
}

TEST(SegmentHeaderFormat, a_shorter_segment_makes_no_longer_datagram) {
  for (std::uint16_t shorter_by = 0; shorter_by <= 20'000; ++shorter_by) {
    const SegmentHeader header{Echo{}, {1, Leg::messages}, 0, 100'000, 5, 20'000, shorter_by};
    ASSERT_LE(datagram_of(header).size(), segment_header_bytes + echo_bytes + header.segment_bytes)
        << shorter_by;
  }
}

TEST(SegmentHeaderFormat, a_segment_header_reads_back_as_written) {
  const SegmentHeader sent{Echo{1u << 23, 77, 1u << 23, 1u << 15, {304, 40960}},
                           {9, Leg::messages},
                           12,
                           (std::uint64_t{5} << 32) + 17,
                           123456,
                           20'000,
                           18'666};
  const auto bytes = datagram_of(sent);
  WireReader in(bytes);
  const auto header = read_segment_header(in, false, 0);
  ASSERT_TRUE(header);
  ASSERT_TRUE(header->echo);
  EXPECT_EQ(header->echo->packets, 1u << 23);
  EXPECT_EQ(header->echo->hold_microseconds, 77u);
  EXPECT_EQ(header->echo->arrival_microseconds, 1u << 23);
  EXPECT_EQ(header->echo->arrived, 1u << 15);
  EXPECT_EQ(header->echo->loss, (LossReport{304, 40960}));
  EXPECT_EQ(header->message, (MessageId{9, Leg::messages}));
  EXPECT_EQ(header->round, 12);
  EXPECT_EQ(header->total_bytes, (std::uint64_t{5} << 32) + 17);
  EXPECT_EQ(header->segment, 123456u);
  EXPECT_EQ(header->segment_bytes, 20'000);
  EXPECT_EQ(header->shorter_by, 18'666);
  EXPECT_FALSE(header->coded);
  EXPECT_EQ(in.rest().size(), 1334u);
}

TEST(SegmentHeaderFormat, a_whole_segment_tells_by_its_length_how_long_all_are) {
  const auto bytes = datagram_of({{}, {9, Leg::replies}, 0, 5000, 2, 1334});
  WireReader in(bytes);
  const auto header = read_segment_header(in, false, 0);
  ASSERT_TRUE(header);
  EXPECT_FALSE(header->echo);
  EXPECT_EQ(header->message, (MessageId{9, Leg::replies}));
  EXPECT_EQ(header->round, 0);
  EXPECT_EQ(header->segment_bytes, 1334);
  EXPECT_EQ(header->shorter_by, 0);
}

TEST(SegmentHeaderFormat, a_superstep_is_the_nearest_that_it_may_be) {
  for (const std::uint32_t near : {0u, 1u, 0x7fffu, 0x8000u, 0x12345678u, UINT32_MAX}) {
    for (const std::int32_t ahead : {-8192, -1, 0, 1, 8191}) {
      for (const Leg leg : {Leg::early, Leg::messages, Leg::replies}) {
        const MessageId sent{near + static_cast<std::uint32_t>(ahead), leg};
        const auto bytes = datagram_of({{}, sent, 0, 5000, 2, 1334});
        WireReader in(bytes);
        EXPECT_EQ(read_segment_header(in, false, near)->message, sent) << near << ahead;
      }
    }
  }
}

TEST(SegmentHeaderFormat, a_leg_that_no_superstep_has_is_refused) {
  auto bytes = datagram_of({{}, {1, Leg::replies}, 0, 5000, 2, 1334});
  bytes[1] |= std::byte{3};
  WireReader in(bytes);
  EXPECT_FALSE(read_segment_header(in, false, 0));
}

TEST(SegmentHeaderFormat, a_coded_segment_header_reads_back_as_written) {
  for (const std::uint32_t block : {0u, 1u, 511u, (1u << 25) - 1}) {
    for (const std::uint16_t number : std::initializer_list<std::uint16_t>{0, 1, 127}) {
      const std::uint64_t total = block < 512 ? 1'000'000 : std::uint64_t{1} << 33;
      SegmentHeader sent{{}, {9, Leg::replies}, number, total, block, 1334};
      sent.coded = true;
      const auto bytes = datagram_of(sent);
      WireReader in(bytes);
      const auto header = read_segment_header(in, true, 0);
      ASSERT_TRUE(header);
      EXPECT_TRUE(header->coded);
      EXPECT_EQ(header->message, sent.message);
      EXPECT_EQ(header->round, number);
      EXPECT_EQ(header->segment, block);
      EXPECT_EQ(header->total_bytes, sent.total_bytes);
      EXPECT_EQ(header->segment_bytes, 1334);
    }
  }
}

TEST(SegmentHeaderFormat, a_segment_has_one_header_only) {
  const auto taken = [](std::vector<std::byte> bytes, bool coded = false) {
    bytes.resize(bytes.size() + 300);
    WireReader in(bytes);
    return read_segment_header(in, coded, 0).has_value();
  };
  const auto header = [](int flags, std::initializer_list<int> more) {
    std::vector<std::byte> bytes(segment_header_bytes);
    bytes[0] = static_cast<std::byte>(flags);
    for (const int byte : more)
      bytes.push_back(static_cast<std::byte>(byte));
    return bytes;
  };
  const auto length = [&](int flags, std::size_t place, int byte) {
    auto bytes = header(flags, {});
    bytes[place] = static_cast<std::byte>(byte);
    return bytes;
  };
  EXPECT_TRUE(taken(header(2, {1, 0})));
  EXPECT_FALSE(taken(header(2, {0, 0}))) << "no round";
  EXPECT_TRUE(taken(length(4, 5, 0x80)));
  EXPECT_FALSE(taken(length(4, 5, 0x7f))) << "not long";
  EXPECT_TRUE(taken(length(0, 5, 0x7f)));
  EXPECT_FALSE(taken(length(0, 5, 0x80))) << "long";
  EXPECT_TRUE(taken(header(8, {1})));
  EXPECT_FALSE(taken(header(8, {0}))) << "not shorter";
  EXPECT_TRUE(taken(header(8, {0x40, 64})));
  EXPECT_FALSE(taken(header(8, {0x40, 63}))) << "63 in two bytes";
  EXPECT_TRUE(taken(header(8, {0x80, 0, 0xfe, 0xd3})));
  EXPECT_FALSE(taken(header(8, {0x80, 0, 0xfe, 0xd4}))) << "the others would be longer than any datagram";
  for (const int flag : {16, 32, 64, 128})
    EXPECT_FALSE(taken(header(flag, {}))) << "no such flag";
  EXPECT_TRUE(taken(length(1 | 4, 5, 0x80), true));
  EXPECT_FALSE(taken(header(2, {1, 0}), true)) << "a coded segment is in no round";
  EXPECT_FALSE(taken(header(8, {1}), true)) << "nor shorter";
}

TEST(SegmentHeaderFormat, one_cut_short_is_refused) {
  std::array<std::byte, 64> bytes{};
  const auto taken = [&](std::size_t length) {
    WireReader in(std::span<const std::byte>(bytes).first(length));
    return read_segment_header(in, false, 0).has_value();
  };
  for (std::size_t length = 0; length < segment_header_bytes; ++length)
    EXPECT_FALSE(taken(length)) << length;
  EXPECT_TRUE(taken(segment_header_bytes));
  bytes[0] = std::byte{15};
  constexpr std::size_t of_long_message = segment_header_bytes + long_message_header_bytes;
  bytes[8] = bytes[of_long_message] = bytes[of_long_message + 2] = std::byte{1};
  constexpr std::size_t with_everything = of_long_message + 2 + 1 + echo_bytes;
  for (std::size_t length = 0; length < with_everything; ++length)
    EXPECT_FALSE(taken(length)) << length;
  EXPECT_TRUE(taken(with_everything));
}

}  // namespace
}  // namespace lbsp::transport
