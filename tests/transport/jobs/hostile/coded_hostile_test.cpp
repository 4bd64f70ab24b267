#include <array>
#include <gtest/gtest.h>

#include "tests/transport/scripted_network.hpp"
#include "transport/fixed_redundancy.hpp"
#include "transport/messages/incoming_message.hpp"

/// Coded segments that no honest sender makes, and what a receiver may be made to keep.
namespace lbsp::transport::testing {
namespace {

constexpr std::uint16_t coded_bytes = 1360;
constexpr std::uint32_t segments = 300;  // three blocks of 100
constexpr std::uint64_t total_bytes = std::uint64_t{segments} * coded_bytes - 7;

/// Of coded segment `index` of a block.
SegmentHeader coded_header(std::uint16_t index, std::uint32_t block) {
  return {{}, {1, Leg::messages}, index, total_bytes, block, coded_bytes};
}

Bytes noise(std::size_t bytes) {
  return patterned(0, 1, bytes);
}

std::size_t kept(const IncomingMessage& message) {
  std::size_t count = 0;
  for (const auto& held : message.held())
    count += held.coded.size();
  return count;
}

TEST(HostileCode, coded_segments_that_contradict_the_message_are_refused_and_not_kept) {
  IncomingMessage message(coded_header(0, 0));
  const auto contradicts = [&](const SegmentHeader& header, std::size_t bytes) {
    return message.accept_coded(header, noise(bytes), Instant{}) == IncomingMessage::Accepted::contradiction;
  };
  EXPECT_TRUE(contradicts(coded_header(0, 3), coded_bytes)) << "no such block";
  EXPECT_TRUE(contradicts(coded_header(0, UINT32_MAX), coded_bytes)) << "no such block at all";
  EXPECT_TRUE(contradicts(coded_header(128, 0), coded_bytes)) << "no such coded segment";
  EXPECT_TRUE(contradicts(coded_header(UINT16_MAX, 0), coded_bytes)) << "no such coded segment at all";
  EXPECT_TRUE(contradicts(coded_header(0, 0), coded_bytes - 1)) << "short";
  EXPECT_TRUE(contradicts(coded_header(0, 0), coded_bytes + 1)) << "long";
  EXPECT_TRUE(contradicts(coded_header(0, 0), 0)) << "empty";
  SegmentHeader other = coded_header(0, 0);
  other.total_bytes -= 1;
  EXPECT_TRUE(contradicts(other, coded_bytes)) << "of a message of another length";
  EXPECT_EQ(kept(message), 0u);
}

TEST(HostileCode, a_message_of_one_segment_has_no_coded_ones) {
  for (const std::uint64_t bytes : {0u, 1u, 1360u}) {
    SegmentHeader header = coded_header(0, 0);
    header.total_bytes = bytes;
    IncomingMessage message(header);
    EXPECT_EQ(message.accept_coded(header, noise(coded_bytes), Instant{}),
              IncomingMessage::Accepted::contradiction);
    EXPECT_FALSE(message.complete());
  }
}

TEST(HostileCode, a_receiver_keeps_fewer_coded_segments_of_a_block_than_the_block_has_segments) {
  IncomingMessage message(coded_header(0, 0));
  std::size_t most = 0;
  for (int round = 0; round < 3; ++round) {
    for (std::uint16_t index = 0; index < 128; ++index) {
      for (std::uint32_t block = 0; block < 3; ++block) {
        message.accept_coded(coded_header(index, block), noise(coded_bytes), Instant{});
        most = std::max(most, kept(message));
        for (const auto& held : message.held())
          ASSERT_LT(held.coded.size(), 100u);
      }
    }
  }
  EXPECT_EQ(most, 3u * 99u);
  EXPECT_TRUE(message.complete());
  EXPECT_EQ(kept(message), 0u);
}

TEST(HostileCode, the_same_coded_segment_twice_counts_once) {
  IncomingMessage message(coded_header(0, 1));
  EXPECT_EQ(message.accept_coded(coded_header(5, 1), noise(coded_bytes), Instant{}),
            IncomingMessage::Accepted::segment);
  EXPECT_EQ(message.accept_coded(coded_header(5, 1), noise(coded_bytes), Instant{}),
            IncomingMessage::Accepted::duplicate);
  EXPECT_EQ(kept(message), 1u);
}

/// Seals as rank 0 would.
std::vector<std::byte> sealed(const JobKey& key, std::uint64_t packet, DatagramKind kind,
                              SegmentHeader header, std::size_t bytes) {
  std::vector<std::byte> datagram(2000);
  header.coded = kind == DatagramKind::coded;
  WireWriter out(datagram);
  write(out, ClearHeader{kind, 0, 1, key.tag(), packet});
  write(out, header);
  out.put(std::span<const std::byte>(noise(bytes)));
  datagram.resize(out.written() + tag_bytes);
  DirectionKey sealing(key, 0, 1, Cipher::chacha20_poly1305);
  sealing.seal(packet, std::span(datagram).first(clear_header_bytes),
               std::span(datagram).subspan(clear_header_bytes));
  return datagram;
}

TEST(HostileCode, authentic_coded_nonsense_is_rejected) {
  ScriptedNetwork network(2, {});
  SegmentHeader headers[] = {coded_header(127, UINT32_MAX / 128), coded_header(0, 3), coded_header(0, 400),
                             coded_header(0, 0), coded_header(0, 0)};
  headers[3].total_bytes = (std::uint64_t{1} << 48) - 1;  // above the ceiling
  headers[4].segment_bytes = 1;                           // more state than message
  std::uint64_t packet = 0;
  for (const SegmentHeader& header : headers) {
    auto datagram = sealed(network.key(), packet++, DatagramKind::coded, header, header.segment_bytes);
    network[1].handle_datagram(datagram, network.now());
    network.flush(1);
  }
  EXPECT_EQ(network[1].counters().datagrams_rejected, std::size(headers));
  EXPECT_FALSE(network[1].failure().has_value());
}

TEST(HostileSegment, of_another_length_and_cut_does_not_make_a_message_begin_again) {
  ScriptedNetwork network(2, {});
  std::uint64_t packet = 0;
  const auto arrive = [&](std::uint32_t segment, std::uint64_t bytes, std::uint16_t cut) {
    SegmentHeader header{{}, {0, Leg::messages}, 0, bytes, segment, cut};
    auto datagram = sealed(network.key(), packet++, DatagramKind::data, header, cut);
    network[1].handle_datagram(datagram, network.now());
  };
  arrive(0, total_bytes, coded_bytes);
  arrive(0, total_bytes - 1, 600);
  EXPECT_EQ(network[1].counters().datagrams_rejected, 1u);
  arrive(1, total_bytes, coded_bytes);
  EXPECT_EQ(network[1].counters().segments_duplicate, 0u);
  arrive(0, total_bytes, coded_bytes);
  EXPECT_EQ(network[1].counters().segments_duplicate, 1u);
}

TEST(HostileCode, the_papers_schemes_take_no_coded_segments) {
  for (const Recovery recovery : {Recovery::rounds, Recovery::whole_round}) {
    ExchangeOptions options;
    options.recovery = recovery;
    ScriptedNetwork network(2, options);
    auto datagram = sealed(network.key(), 0, DatagramKind::coded, coded_header(0, 0), coded_bytes);
    network[1].handle_datagram(datagram, network.now());
    EXPECT_EQ(network[1].counters().datagrams_rejected, 1u);
    network.flush(1);
    EXPECT_EQ(network.sent(DatagramKind::ack), 0);
  }
}

/// A status report as rank 1 would send it to rank 0, which waits with a coded message.
class HostileReport : public ::testing::Test {
 protected:
  HostileReport() : network_(2, {}, 10ms, [](Rank) { return std::make_unique<FixedRedundancy>(1, 4); }) {}

  void report(const std::vector<StatusEntry>& entries) {
    std::vector<std::byte> datagram(clear_header_bytes + status_header_bytes +
                                    entries.size() * status_entry_bytes + tag_bytes);
    WireWriter out(datagram);
    write(out, ClearHeader{DatagramKind::status, 1, 0, network_.key().tag(), packet_++});
    write(out, StatusHeader{{network_[0].counters().datagrams_sent, 0, {}}, {0, Leg::messages}, false});
    for (const StatusEntry& entry : entries)
      write(out, entry);
    DirectionKey sealing(network_.key(), 1, 0, Cipher::chacha20_poly1305);
    sealing.seal(packet_ - 1, std::span(datagram).first(clear_header_bytes),
                 std::span(datagram).subspan(clear_header_bytes));
    network_[0].handle_datagram(datagram, network_.now());
    network_.flush(0);
  }

  ScriptedNetwork network_;
  std::uint64_t packet_ = 1000;
};

TEST_F(HostileReport, of_blocks_that_do_not_exist_does_no_harm) {
  network_.begin_exchange(0, [](Rank from, Rank to) { return patterned(from, to, 200'000); });
  for (const std::uint32_t block : {0u, 1u, 2u, 1000u, UINT32_MAX}) {
    for (const int held : {0, 1, 128, 65535}) {
      StatusEntry entry;
      entry.of_block = true;
      entry.first = block;
      entry.bits = static_cast<std::uint16_t>(held);
      report({entry});
    }
  }
  EXPECT_EQ(network_[0].counters().datagrams_rejected, 0u);
  network_.begin_exchange(1, [](Rank, Rank) { return Bytes{}; });
  EXPECT_TRUE(network_.run_exchange());
  EXPECT_EQ(network_[1].take_messages()[0], patterned(0, 1, 200'000));
}

}  // namespace
}  // namespace lbsp::transport::testing
