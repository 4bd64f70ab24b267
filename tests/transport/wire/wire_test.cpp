#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "byte_values.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {
namespace {

using testing::values;

TEST(WireFormat, the_clear_header_stands_byte_by_byte_as_documented) {
  std::array<std::byte, clear_header_bytes> bytes{};
  WireWriter out(bytes);
  write(out, ClearHeader{DatagramKind::status, 0x0102, 0x0304, 0x0205, 0x1122334455667788, 9});
  EXPECT_EQ(values(bytes), (std::vector<int>{0x52, 2, 1, 4, 3, 0x49, 0x81, 0x88, 0x77, 0x66}));
  const auto header = read_clear_header(bytes);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->kind, DatagramKind::status);
  EXPECT_EQ(header->source, 0x0102);
  EXPECT_EQ(header->destination, 0x0304);
  EXPECT_EQ(header->job_tag, 0x0205);
  EXPECT_EQ(header->packet_number, 0x667788u) << "of which it has the lower part";
  EXPECT_EQ(header->questions_before, 9);
}

TEST(WireFormat, a_question_of_length_stands_byte_by_byte_as_documented) {
  std::array<std::byte, size_header_bytes> bytes{};
  WireWriter out(bytes);
  write(out, SizeHeader{{1, 2, 10, 11, {8, 9}}, true, 0x0102});
  EXPECT_EQ(out.written(), size_header_bytes);
  EXPECT_EQ(values(bytes), (std::vector<int>{1, 0, 0, 2, 0, 10, 0, 0, 11, 0, 8, 9, 1, 0, 2, 1}));
  WireReader in(bytes);
  const auto header = read_size_header(in);
  ASSERT_TRUE(header);
  EXPECT_TRUE(header->answer);
  EXPECT_EQ(header->datagram_bytes, 0x0102);
}

TEST(WireFormat, a_question_about_an_address_stands_byte_by_byte_as_documented) {
  std::array<std::byte, 5> bytes{};
  WireWriter out(bytes);
  write(out, AddressHeader{true, 0x01020304});
  EXPECT_EQ(out.written(), bytes.size());
  EXPECT_EQ(values(bytes), (std::vector<int>{1, 4, 3, 2, 1}));
  WireReader in(bytes);
  const auto header = read_address_header(in);
  ASSERT_TRUE(header);
  EXPECT_TRUE(header->answer);
  EXPECT_EQ(header->number, 0x01020304U);
}

TEST(WireFormat, a_report_reads_back_as_written) {
  std::array<std::byte, 100> bytes{};
  const std::array bitmap{std::byte{0b101}, std::byte{0b1}};
  WireWriter out(bytes);
  write(out, StatusHeader{{5, 6},
                          {8, Leg::replies},
                          true,
                          false,
                          true,
                          1234,
                          0xfedcba98,
                          std::chrono::microseconds{8 * 0x0102 + 3}});
  EXPECT_EQ(out.written(), status_header_bytes);
  write(out, StatusEntry{{9, Leg::messages}, false, true, true, 10, 9, bitmap});
  EXPECT_EQ(out.written(), status_header_bytes + status_entry_bytes + 2);
  StatusEntry of_block;
  of_block.message = {9, Leg::messages};
  of_block.of_block = true;
  of_block.first = 3;
  of_block.bits = 17;
  write(out, of_block);
  EXPECT_EQ(out.written(), status_header_bytes + 2 * status_entry_bytes + 2);

  WireReader in(std::span<const std::byte>(bytes).first(out.written()));
  const auto header = read_status_header(in);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->position, (MessageId{8, Leg::replies}));
  EXPECT_TRUE(header->partial);
  EXPECT_FALSE(header->begun);
  EXPECT_TRUE(header->moving);
  EXPECT_EQ(header->room, 1234);
  EXPECT_EQ(header->overflowed, 0xfedcba98);
  EXPECT_EQ(header->reordering, std::chrono::microseconds{8 * 0x0102}) << "in units of 8 µs";
  const auto entry = read_status_entry(in);
  ASSERT_TRUE(entry);
  EXPECT_FALSE(entry->complete);
  EXPECT_TRUE(entry->rest_missing);
  EXPECT_TRUE(entry->prefix_complete);
  EXPECT_EQ(entry->first, 10u);
  EXPECT_TRUE(entry->has(0));
  EXPECT_FALSE(entry->has(1));
  EXPECT_TRUE(entry->has(8));
  const auto block = read_status_entry(in);
  ASSERT_TRUE(block);
  EXPECT_TRUE(block->of_block);
  EXPECT_EQ(block->first, 3u);
  EXPECT_EQ(block->bits, 17);
  EXPECT_TRUE(in.rest().empty());
}

TEST(WireFormat, marks_stand_behind_the_header_of_a_report_that_tells_of_them) {
  StatusHeader header;
  header.marks = MarkReport{0x1234, true};
  EXPECT_EQ(bytes_of(header), status_header_bytes + 2);
  std::array<std::byte, status_header_bytes + 2> bytes{};
  WireWriter out(bytes);
  write(out, header);
  EXPECT_EQ(out.written(), bytes.size());
  EXPECT_EQ(std::to_integer<int>(bytes[echo_bytes + 5]), 16);
  EXPECT_EQ(std::to_integer<int>(bytes[status_header_bytes]), 0x34);
  EXPECT_EQ(std::to_integer<int>(bytes[status_header_bytes + 1]), 0x92);
  WireReader in(bytes);
  const auto read = read_status_header(in);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->marks, header.marks);
  EXPECT_TRUE(in.rest().empty());
  WireReader cut(std::span<const std::byte>(bytes).first(status_header_bytes + 1));
  EXPECT_FALSE(read_status_header(cut));
}

TEST(WireFormat, a_grant_stands_behind_the_header_of_a_report) {
  std::array<std::byte, status_header_bytes + grant_bytes> bytes{};
  const auto written = [&](double rate) {
    StatusHeader header;
    header.granted = BytesPerSecond{rate};
    WireWriter out(bytes);
    write(out, header);
    EXPECT_EQ(out.written(), status_header_bytes + grant_bytes);
    EXPECT_EQ(std::to_integer<int>(bytes[echo_bytes + 5]), 8);
    return std::to_integer<int>(bytes[status_header_bytes]) +
           256 * std::to_integer<int>(bytes[status_header_bytes + 1]);
  };
  const auto read_back = [&]() -> double {
    WireReader in(bytes);
    const auto header = read_status_header(in);
    EXPECT_TRUE(in.rest().empty());
    return header && header->granted ? header->granted->value : -1;
  };
  EXPECT_EQ(written(64 * 2047.9), 2047);
  EXPECT_EQ(read_back(), 64 * 2047);
  EXPECT_EQ(written(64 * 4097.), 4096) << "the last of 13 bits is left out";
  EXPECT_EQ(read_back(), 64 * 4096.);
  EXPECT_EQ(written(1), 1) << "never nothing";
  EXPECT_EQ(read_back(), 64);
  written(1e15);
  EXPECT_NEAR(read_back(), 64. * UINT32_MAX, 64. * UINT32_MAX / 2048);
}

TEST(WireFormat, a_grant_of_nothing_or_of_too_much_is_refused) {
  StatusHeader header;
  header.granted = BytesPerSecond{1e15};
  std::array<std::byte, status_header_bytes + grant_bytes> bytes{};
  WireWriter out(bytes);
  write(out, header);
  const auto valid = [&] {
    WireReader in(bytes);
    return read_status_header(in).has_value();
  };
  EXPECT_TRUE(valid());
  const std::byte most = bytes[status_header_bytes + 1];
  bytes[status_header_bytes + 1] = std::byte{static_cast<unsigned char>(std::to_integer<int>(most) + 1)};
  EXPECT_FALSE(valid());
  bytes[status_header_bytes] = bytes[status_header_bytes + 1] = std::byte{0};
  EXPECT_FALSE(valid());
  WireReader cut(std::span<const std::byte>(bytes).first(status_header_bytes + 1));
  EXPECT_FALSE(read_status_header(cut));
}

TEST(WireFormat, an_abort_keeps_its_text_to_the_longest_allowed) {
  std::vector<std::byte> bytes(1400);
  WireWriter out(bytes);
  write(out, AbortNotice{AbortReason::program, 3, 4, 5, std::string(1200, 'x')});
  WireReader in(std::span<const std::byte>(bytes).first(out.written()));
  const auto notice = read_abort_notice(in);
  ASSERT_TRUE(notice);
  EXPECT_EQ(notice->subject, 3);
  EXPECT_EQ(notice->text, std::string(abort_text_bytes, 'x'));
}

TEST(WireFormat, an_abort_says_whether_its_text_tells_the_cause) {
  std::array<std::byte, 64> bytes{};
  for (const bool tells : {false, true}) {
    WireWriter out(bytes);
    write(out, AbortNotice{AbortReason::peer_lost, 3, 4, 5, "; why", tells});
    WireReader in(std::span<const std::byte>(bytes).first(out.written()));
    EXPECT_EQ(read_abort_notice(in)->tells_cause, tells);
  }
  bytes[1] = std::byte{2};
  WireReader in(bytes);
  EXPECT_FALSE(read_abort_notice(in));
}

TEST(WireFormat, everything_cut_short_is_refused) {
  std::array<std::byte, 64> bytes{};
  const auto refused_at_every_length = [&](std::size_t whole, auto read) {
    for (std::size_t length = 0; length < whole; ++length) {
      WireReader in(std::span<const std::byte>(bytes).first(length));
      EXPECT_FALSE(read(in)) << length;
    }
    WireReader in(std::span<const std::byte>(bytes).first(whole));
    EXPECT_TRUE(read(in));
  };
  bytes[0] = std::byte{1};  // a reason, for ABORT
  refused_at_every_length(echo_bytes, [](WireReader& in) { return read_echo(in).has_value(); });
  refused_at_every_length(status_header_bytes,
                          [](WireReader& in) { return read_status_header(in).has_value(); });
  refused_at_every_length(status_entry_bytes,
                          [](WireReader& in) { return read_status_entry(in).has_value(); });
  refused_at_every_length(24, [](WireReader& in) { return read_segment_ack(in).has_value(); });
  refused_at_every_length(size_header_bytes, [](WireReader& in) { return read_size_header(in).has_value(); });
  refused_at_every_length(12, [](WireReader& in) { return read_abort_notice(in).has_value(); });
}

TEST(WireFormat, another_version_or_an_unknown_kind_is_refused) {
  std::array<std::byte, clear_header_bytes> bytes{};
  for (int first = 0; first < 256; ++first) {
    bytes[0] = static_cast<std::byte>(first);
    EXPECT_EQ(read_clear_header(bytes).has_value(), first >= 0x51 && first <= 0x5b) << first;
  }
}

}  // namespace
}  // namespace lbsp::transport
