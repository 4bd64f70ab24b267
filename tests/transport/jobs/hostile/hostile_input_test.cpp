#include <gtest/gtest.h>

#include "tests/transport/scripted_superstep.hpp"
#include "transport/core/endpoint.hpp"

/// What an attacker can send to an endpoint, with and without the key.
namespace lbsp::transport::testing {
namespace {

class HostileInput : public ::testing::Test {
 protected:
  HostileInput() : network(2, {}) {
    superstep(network, [](Rank from, Rank to) { return patterned(from, to, 5000); });
  }
  ScriptedNetwork network;
};

TEST_F(HostileInput, replayed_datagrams_are_rejected_and_not_answered) {
  const auto record = network.record();
  const auto sent = network[1].counters().datagrams_sent;
  std::uint64_t replayed = 0;
  for (auto [to, datagram] : record) {
    if (to != 1) continue;
    network[1].handle_datagram(datagram, network.now());
    ++replayed;
  }
  EXPECT_EQ(network[1].counters().datagrams_rejected, replayed);
  network.flush(1);
  EXPECT_EQ(network[1].counters().datagrams_sent, sent);
}

TEST_F(HostileInput, a_datagram_with_any_one_bit_flipped_is_rejected) {
  ScriptedNetwork fresh(2, {});
  fresh.lose = [](const Passing&) { return true; };
  fresh.begin_exchange(0, [](Rank from, Rank to) { return patterned(from, to, 20); });
  const auto datagram = fresh.record().front().second;
  for (std::size_t bit = 0; bit < datagram.size() * 8; ++bit) {
    auto flipped = datagram;
    flipped[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    fresh[1].handle_datagram(flipped, fresh.now());
    ASSERT_EQ(fresh[1].counters().datagrams_rejected, bit + 1) << "bit " << bit;
  }
  auto intact = datagram;
  fresh[1].handle_datagram(intact, fresh.now());
  EXPECT_EQ(fresh[1].counters().datagrams_received, 1u);
}

TEST_F(HostileInput, datagrams_cut_short_at_any_length_are_rejected) {
  const auto datagram = network.record().front().second;
  for (std::size_t length = 0; length < datagram.size(); ++length) {
    std::vector<std::byte> cut(datagram.begin(), datagram.begin() + static_cast<std::ptrdiff_t>(length));
    network[1].handle_datagram(cut, network.now());
  }
  EXPECT_EQ(network[1].counters().datagrams_rejected, datagram.size());
}

/// Seals a body as rank 0 would: an authentic but malicious (or broken) peer.
std::vector<std::byte> forged(const JobKey& key, std::uint64_t packet, DatagramKind kind,
                              std::span<const std::byte> body) {
  std::vector<std::byte> datagram(clear_header_bytes + body.size() + tag_bytes);
  WireWriter out(datagram);
  write(out, ClearHeader{kind, 0, 1, key.tag(), packet});
  out.put(body);
  DirectionKey sealing(key, 0, 1, Cipher::chacha20_poly1305);
  sealing.seal(packet, std::span(datagram).first(clear_header_bytes),
               std::span(datagram).subspan(clear_header_bytes));
  return datagram;
}

TEST_F(HostileInput, authentic_nonsense_is_rejected_and_allocates_nothing) {
  const SegmentHeader headers[] = {
      {{}, {1, Leg::messages}, 0, std::uint64_t{1} << 62, 0, 1334},  // above the ceiling
      {{}, {1, Leg::messages}, 0, 5000, 4, 1334},                    // a segment beyond the end
      {{}, {1, Leg::messages}, 0, 5000, 0, 1},                       // more state than message
      {{}, {1, Leg::messages}, 0, 5000, 0, 0},                       // no bytes per segment
      {{}, {1, Leg::messages}, 0, 5000, 0, 1334, 1},                 // shorter, and not the last
      {{}, {3, Leg::messages}, 0, 5000, 0, 1334},                    // two supersteps ahead
  };
  std::uint64_t packet = 1000;
  for (const SegmentHeader& header : headers) {
    std::array<std::byte, 1400> body{};
    WireWriter out(body);
    write(out, header);
    out.skip(header.segment_bytes - header.shorter_by);
    auto datagram = forged(network.key(), packet++, DatagramKind::data, std::span(body).first(out.written()));
    network[1].handle_datagram(datagram, network.now());
  }
  EXPECT_EQ(network[1].counters().datagrams_rejected, std::size(headers));
}

TEST_F(HostileInput, authentic_random_bodies_of_every_kind_do_no_harm) {
  constexpr DatagramKind kinds[] = {DatagramKind::data,  DatagramKind::status, DatagramKind::ack,
                                    DatagramKind::coded, DatagramKind::size,   DatagramKind::address};
  std::uint32_t state = 1;
  const auto next = [&] { return state = state * 1664525u + 1013904223u; };
  for (std::uint64_t packet = 1000; packet < 21000; ++packet) {
    std::vector<std::byte> body((next() >> 8) % 120);
    // Mostly small numbers, so that many of them pass the first checks.
    for (std::byte& byte : body)
      byte = static_cast<std::byte>((next() >> 28) < 12 ? 0 : next() >> 24);
    const auto kind = kinds[(next() >> 8) % std::size(kinds)];
    auto datagram = forged(network.key(), packet, kind, body);
    network[1].handle_datagram(datagram, network.now());
    network.flush(1);
  }
  EXPECT_FALSE(network[1].failure().has_value());
}

}  // namespace
}  // namespace lbsp::transport::testing
