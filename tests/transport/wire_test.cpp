#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "transport/wire/format.hpp"
#include "transport/wire/replay_window.hpp"
#include "transport/wire/sealing.hpp"

namespace lbsp::transport {
namespace {

std::vector<int> values(std::span<const std::byte> bytes) {
  std::vector<int> result;
  for (const std::byte byte : bytes)
    result.push_back(static_cast<int>(byte));
  return result;
}

TEST(WireFormat, the_clear_header_stands_byte_by_byte_as_documented) {
  std::array<std::byte, clear_header_bytes> bytes{};
  WireWriter out(bytes);
  write(out, ClearHeader{DatagramKind::status, 0x0102, 0x0304, 0x0506, 0x1122334455667788, 9});
  EXPECT_EQ(values(bytes), (std::vector<int>{0x22, 9, 2, 1, 4, 3, 6, 5, 0x88, 0x77, 0x66}));
  const auto header = read_clear_header(bytes);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->kind, DatagramKind::status);
  EXPECT_EQ(header->source, 0x0102);
  EXPECT_EQ(header->destination, 0x0304);
  EXPECT_EQ(header->job_tag, 0x0506);
  EXPECT_EQ(header->packet_number, 0x667788u) << "of which it has the lower part";
  EXPECT_EQ(header->questions_before, 9);
}

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

TEST(WireFormat, a_whole_segments_header_stands_byte_by_byte_as_documented) {
  EXPECT_EQ(values(written({{}, {0x01020304, Leg::messages}, 0, 0x05060708, 0x090a0b0c, 1000})),
            (std::vector<int>{0, 4, 3, 2, 1, 8, 7, 6, 5, 0x0c, 0x0b, 0x0a, 9}));
}

TEST(WireFormat, a_segments_header_with_everything_stands_byte_by_byte_as_documented) {
  const SegmentHeader header{
      Echo{1, 2, 10, 11, {8, 9}}, {3, Leg::replies}, 4, (std::uint64_t{7} << 32) + 5, 6, 1000, 70};
  EXPECT_EQ(values(written(header)),
            (std::vector<int>{31, 3, 0, 0, 0, 5, 0, 0, 0,  6, 0, 0, 0,  4, 0, 7, 0, 0, 0, 0x40, 70,
                              1,  0, 0, 0, 2, 0, 0, 0, 10, 0, 0, 0, 11, 0, 0, 0, 8, 0, 9, 0}));
}

TEST(WireFormat, a_coded_segments_header_stands_byte_by_byte_as_documented) {
  SegmentHeader header{{}, {1, Leg::messages}, 127, 5, 0x010203, 1000};
  header.coded = true;
  EXPECT_EQ(values(written(header)), (std::vector<int>{0, 1, 0, 0, 0, 5, 0, 0, 0, 0xff, 0x01, 0x81, 0}));
}

TEST(WireFormat, a_whole_segment_costs_at_most_forty_bytes) {
  EXPECT_LE(data_overhead_bytes, 40u);
  SegmentHeader header{{}, {UINT32_MAX, Leg::replies}, 0, UINT32_MAX, UINT32_MAX, 1000};
  EXPECT_EQ(clear_header_bytes + written(header).size() + tag_bytes, data_overhead_bytes);
  EXPECT_EQ(data_overhead(UINT32_MAX, false), data_overhead_bytes);
  header.total_bytes += 1;
  EXPECT_EQ(clear_header_bytes + written(header).size() + tag_bytes,
            data_overhead(header.total_bytes, false));
  header.round = 1;
  EXPECT_EQ(clear_header_bytes + written(header).size() + tag_bytes, data_overhead(header.total_bytes, true));
  header = {{}, {UINT32_MAX, Leg::replies}, 127, UINT32_MAX, UINT32_MAX / 128, 1000};
  header.coded = true;
  EXPECT_EQ(clear_header_bytes + written(header).size() + tag_bytes, data_overhead_bytes);
}

TEST(WireFormat, a_shorter_segment_makes_no_longer_datagram_even_with_an_echo) {
  int echoes = 0;
  for (std::uint16_t shorter_by = 0; shorter_by <= 20'000; ++shorter_by) {
    SegmentHeader header{{}, {1, Leg::messages}, 0, 100'000, 5, 20'000, shorter_by};
    const bool echo = has_room_for_echo(shorter_by);
    if (echo) header.echo = Echo{};
    echoes += echo ? 1 : 0;
    ASSERT_LE(datagram_of(header).size(), segment_header_bytes + header.segment_bytes) << shorter_by;
  }
  EXPECT_EQ(echoes, 20'000 - 20) << "21 bytes are enough";
}

TEST(WireFormat, a_question_of_length_stands_byte_by_byte_as_documented) {
  std::array<std::byte, size_header_bytes> bytes{};
  WireWriter out(bytes);
  write(out, SizeHeader{{1, 2, 10, 11, {8, 9}}, true, 0x0102});
  EXPECT_EQ(out.written(), size_header_bytes);
  EXPECT_EQ(values(bytes),
            (std::vector<int>{1, 0, 0, 0, 2, 0, 0, 0, 10, 0, 0, 0, 11, 0, 0, 0, 8, 0, 9, 0, 1, 0, 2, 1}));
  WireReader in(bytes);
  const auto header = read_size_header(in);
  ASSERT_TRUE(header);
  EXPECT_TRUE(header->answer);
  EXPECT_EQ(header->datagram_bytes, 0x0102);
}

TEST(WireFormat, a_segment_header_reads_back_as_written) {
  const SegmentHeader sent{Echo{1u << 30, 77, 78, 1u << 29, {300, 40000}},
                           {9, Leg::messages},
                           12,
                           (std::uint64_t{5} << 32) + 17,
                           123456,
                           20'000,
                           18'666};
  const auto bytes = datagram_of(sent);
  WireReader in(bytes);
  const auto header = read_segment_header(in, false);
  ASSERT_TRUE(header);
  ASSERT_TRUE(header->echo);
  EXPECT_EQ(header->echo->packets, 1u << 30);
  EXPECT_EQ(header->echo->hold_microseconds, 77u);
  EXPECT_EQ(header->echo->arrival_microseconds, 78u);
  EXPECT_EQ(header->echo->arrived, 1u << 29);
  EXPECT_EQ(header->echo->loss, (LossReport{300, 40000}));
  EXPECT_EQ(header->message, (MessageId{9, Leg::messages}));
  EXPECT_EQ(header->round, 12);
  EXPECT_EQ(header->total_bytes, (std::uint64_t{5} << 32) + 17);
  EXPECT_EQ(header->segment, 123456u);
  EXPECT_EQ(header->segment_bytes, 20'000);
  EXPECT_EQ(header->shorter_by, 18'666);
  EXPECT_FALSE(header->coded);
  EXPECT_EQ(in.rest().size(), 1334u);
}

TEST(WireFormat, a_whole_segment_tells_by_its_length_how_long_all_are) {
  const auto bytes = datagram_of({{}, {9, Leg::replies}, 0, 5000, 2, 1334});
  WireReader in(bytes);
  const auto header = read_segment_header(in, false);
  ASSERT_TRUE(header);
  EXPECT_FALSE(header->echo);
  EXPECT_EQ(header->message, (MessageId{9, Leg::replies}));
  EXPECT_EQ(header->round, 0);
  EXPECT_EQ(header->segment_bytes, 1334);
  EXPECT_EQ(header->shorter_by, 0);
}

TEST(WireFormat, a_coded_segment_header_reads_back_as_written) {
  for (const std::uint32_t block : {0u, 1u, (1u << 25) - 1}) {
    for (const std::uint16_t number : std::initializer_list<std::uint16_t>{0, 1, 127}) {
      SegmentHeader sent{{}, {9, Leg::replies}, number, std::uint64_t{1} << 33, block, 1334};
      sent.coded = true;
      const auto bytes = datagram_of(sent);
      WireReader in(bytes);
      const auto header = read_segment_header(in, true);
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

TEST(WireFormat, a_segment_has_one_header_only) {
  const auto taken = [](std::vector<std::byte> bytes, bool coded = false) {
    bytes.resize(bytes.size() + 300);
    WireReader in(bytes);
    return read_segment_header(in, coded).has_value();
  };
  const auto header = [](int flags, std::initializer_list<int> more) {
    std::vector<std::byte> bytes(segment_header_bytes);
    bytes[0] = static_cast<std::byte>(flags);
    for (const int byte : more)
      bytes.push_back(static_cast<std::byte>(byte));
    return bytes;
  };
  EXPECT_TRUE(taken(header(4, {1, 0})));
  EXPECT_FALSE(taken(header(4, {0, 0}))) << "no round";
  EXPECT_TRUE(taken(header(8, {1, 0, 0, 0})));
  EXPECT_FALSE(taken(header(8, {0, 0, 0, 0}))) << "not long";
  EXPECT_TRUE(taken(header(16, {1})));
  EXPECT_FALSE(taken(header(16, {0}))) << "not shorter";
  EXPECT_TRUE(taken(header(16, {0x40, 64})));
  EXPECT_FALSE(taken(header(16, {0x40, 63}))) << "63 in two bytes";
  EXPECT_TRUE(taken(header(16, {0x80, 0, 0xfe, 0xd3})));
  EXPECT_FALSE(taken(header(16, {0x80, 0, 0xfe, 0xd4}))) << "the others would be longer than any datagram";
  for (const int flag : {32, 64, 128})
    EXPECT_FALSE(taken(header(flag, {}))) << "no such flag";
  EXPECT_TRUE(taken(header(1 | 2 | 8, {1, 0, 0, 0}), true));
  EXPECT_FALSE(taken(header(4, {1, 0}), true)) << "a coded segment is in no round";
  EXPECT_FALSE(taken(header(16, {1}), true)) << "nor shorter";
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

TEST(WireFormat, an_abort_keeps_its_text_to_the_longest_allowed) {
  std::vector<std::byte> bytes(1000);
  WireWriter out(bytes);
  write(out, AbortNotice{AbortReason::program, 3, 4, 5, std::string(500, 'x')});
  WireReader in(std::span<const std::byte>(bytes).first(out.written()));
  const auto notice = read_abort_notice(in);
  ASSERT_TRUE(notice);
  EXPECT_EQ(notice->subject, 3);
  EXPECT_EQ(notice->text, std::string(abort_text_bytes, 'x'));
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
  refused_at_every_length(32, [](WireReader& in) { return read_segment_ack(in).has_value(); });
  refused_at_every_length(size_header_bytes, [](WireReader& in) { return read_size_header(in).has_value(); });
  refused_at_every_length(12, [](WireReader& in) { return read_abort_notice(in).has_value(); });
  const auto segment = [](WireReader& in) { return read_segment_header(in, false).has_value(); };
  bytes[0] = std::byte{};
  refused_at_every_length(segment_header_bytes, segment);
  bytes[0] = std::byte{31};
  bytes[segment_header_bytes] = bytes[segment_header_bytes + 2] = bytes[segment_header_bytes + 6] =
      std::byte{1};
  refused_at_every_length(segment_header_bytes + 2 + 4 + 1 + echo_bytes, segment);
}

TEST(WireFormat, another_version_or_an_unknown_kind_is_refused) {
  std::array<std::byte, clear_header_bytes> bytes{};
  for (int first = 0; first < 256; ++first) {
    bytes[0] = static_cast<std::byte>(first);
    EXPECT_EQ(read_clear_header(bytes).has_value(), first >= 0x20 && first <= 0x27) << first;
  }
}

TEST(Varint, is_that_of_rfc_9000) {
  // Its appendix A.1.
  const std::vector<std::pair<std::uint64_t, std::vector<int>>> samples = {
      {151'288'809'941'952'652, {0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c}},
      {494'878'333, {0x9d, 0x7f, 0x3e, 0x7d}},
      {15'293, {0x7b, 0xbd}},
      {37, {0x25}},
  };
  for (const auto& [value, expected] : samples) {
    std::array<std::byte, 8> bytes{};
    WireWriter out(bytes);
    out.put_varint(value);
    EXPECT_EQ(values(std::span(bytes).first(out.written())), expected);
    EXPECT_EQ(varint_bytes(value), expected.size());
  }
}

TEST(Varint, reads_back_at_the_edges_of_its_lengths_and_refuses_what_is_cut_short) {
  for (const int bits : {0, 1, 6, 14, 30, 62}) {
    for (const std::uint64_t value : {(std::uint64_t{1} << bits) - 1, std::uint64_t{1} << bits % 62}) {
      std::array<std::byte, 8> bytes{};
      WireWriter out(bytes);
      out.put_varint(value);
      EXPECT_EQ(out.written(), varint_bytes(value));
      WireReader in(std::span<const std::byte>(bytes).first(out.written()));
      EXPECT_EQ(in.get_varint(), value);
      EXPECT_TRUE(in.ok());
      WireReader cut(std::span<const std::byte>(bytes).first(out.written() - 1));
      EXPECT_EQ(cut.get_varint(), 0u);
      EXPECT_FALSE(cut.ok());
    }
  }
}

TEST(Varint, that_is_longer_than_it_need_be_is_refused) {
  // RFC 9000, appendix A.1: 0x4025 also decodes to 37.
  const std::array bytes{std::byte{0x40}, std::byte{0x25}};
  WireReader in(bytes);
  EXPECT_EQ(in.get_varint(), 0u);
  EXPECT_FALSE(in.ok());
}

class Sealing : public ::testing::TestWithParam<Cipher> {
 protected:
  void SetUp() override {
    if (!cipher_available(GetParam())) GTEST_SKIP() << "this processor has no AES instructions";
    for (std::size_t i = 0; i < text.size(); ++i)
      body[i] = text[i] = static_cast<std::byte>(i);
  }

  DirectionKey key(Rank from, Rank to) const { return {job, from, to, GetParam()}; }

  JobKey job = JobKey::random();
  std::array<std::byte, 16> header{};
  std::array<std::byte, 100> text{};
  std::array<std::byte, 100 + tag_bytes> body{};
};

TEST_P(Sealing, opens_what_was_sealed_and_hides_it_meanwhile) {
  key(0, 1).seal(42, header, body);
  EXPECT_FALSE(std::equal(text.begin(), text.end(), body.begin()));
  const auto opened = key(0, 1).open(42, header, body);
  ASSERT_TRUE(opened);
  EXPECT_TRUE(std::equal(text.begin(), text.end(), opened->begin(), opened->end()));
}

TEST_P(Sealing, opens_nothing_of_another_direction_number_header_or_job) {
  const auto sealed_opens = [&](auto&& with) {
    auto copy = body;
    return with(std::span<std::byte>(copy)).has_value();
  };
  key(0, 1).seal(42, header, body);
  EXPECT_TRUE(sealed_opens([&](auto copy) { return key(0, 1).open(42, header, copy); }));
  EXPECT_FALSE(sealed_opens([&](auto copy) { return key(1, 0).open(42, header, copy); }));
  EXPECT_FALSE(sealed_opens([&](auto copy) { return key(0, 2).open(42, header, copy); }));
  EXPECT_FALSE(sealed_opens([&](auto copy) { return key(0, 1).open(43, header, copy); }));
  EXPECT_FALSE(sealed_opens(
      [&](auto copy) { return key(0, 1).open(42 + DirectionKey::packets_per_epoch, header, copy); }));
  auto other_header = header;
  other_header[3] = std::byte{1};
  EXPECT_FALSE(sealed_opens([&](auto copy) { return key(0, 1).open(42, other_header, copy); }));
  job = JobKey::random();
  EXPECT_FALSE(sealed_opens([&](auto copy) { return key(0, 1).open(42, header, copy); }));
}

TEST_P(Sealing, the_key_changes_with_the_epoch_and_both_epochs_open) {
  constexpr std::uint64_t boundary = DirectionKey::packets_per_epoch;
  DirectionKey sealing = key(0, 1);
  DirectionKey opening = key(0, 1);
  auto before = body;
  auto after = body;
  sealing.seal(boundary - 1, header, before);
  sealing.seal(boundary, header, after);
  EXPECT_TRUE(opening.open(boundary, header, after));
  EXPECT_TRUE(opening.open(boundary - 1, header, before)) << "a datagram that was overtaken";
}

INSTANTIATE_TEST_SUITE_P(Ciphers, Sealing, ::testing::Values(Cipher::aes256_gcm, Cipher::chacha20_poly1305),
                         [](const auto& instance) {
                           return instance.param == Cipher::aes256_gcm ? "aes256_gcm" : "chacha20_poly1305";
                         });

TEST(JobKey, differs_from_job_to_job) {
  EXPECT_NE(JobKey::random().bytes, JobKey::random().bytes);
}

TEST(ReplayWindow, takes_each_number_once) {
  ReplayWindow window;
  for (const std::uint64_t packet : {0u, 1u, 5u, 3u, 2u, 4u}) {
    EXPECT_TRUE(window.is_new(packet));
    window.enter(packet);
    EXPECT_FALSE(window.is_new(packet));
  }
  EXPECT_EQ(window.next(), 6u);
  EXPECT_EQ(window.distinct(), 6u);
}

TEST(ReplayWindow, refuses_what_is_too_old_to_know) {
  ReplayWindow window;
  window.enter(10'000);
  EXPECT_TRUE(window.is_new(10'000 + 1 - ReplayWindow::window_packets));
  EXPECT_FALSE(window.is_new(10'000 - ReplayWindow::window_packets));
  EXPECT_FALSE(window.is_new(0));
}

TEST(ReplayWindow, agrees_with_a_set_under_random_jumps) {
  ReplayWindow window;
  std::vector<bool> entered(400'000);
  std::uint64_t newest = 0;
  std::uint32_t state = 7;
  const auto random = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
  for (int i = 0; i < 60'000; ++i) {
    const std::uint64_t reach = random() % 20 == 0 ? 6'000 : 100;
    const std::uint64_t packet = random() % 2 == 0
                                     ? newest + random() % 10
                                     : newest - std::min<std::uint64_t>(newest, random() % reach);
    if (packet >= entered.size()) break;
    const bool in_window =
        newest < ReplayWindow::window_packets || packet + ReplayWindow::window_packets > newest;
    ASSERT_EQ(window.is_new(packet), in_window && !entered[packet]) << packet << " of " << newest;
    if (!window.is_new(packet)) continue;
    window.enter(packet);
    entered[packet] = true;
    newest = std::max(newest, packet);
  }
}

}  // namespace
}  // namespace lbsp::transport
