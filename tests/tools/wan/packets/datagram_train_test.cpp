// Trains of datagrams, as hosts' devices give and take them.
#include "tools/wan/packets/datagram_train.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

#include "tests/tools/wan/packets/packet.hpp"
#include "tools/wan/packets/checksum.hpp"

namespace lbsp::wan::packets {
namespace {

constexpr std::size_t ip_header = 20;

unsigned two_bytes(const Packet& packet, std::size_t offset) {
  return std::to_integer<unsigned>(packet[offset]) * 256 + std::to_integer<unsigned>(packet[offset + 1]);
}

/// RFC 768's sum, of a datagram that has its checksum, in bytes rather than words.
unsigned udp_sum(const Packet& packet) {
  Packet all(packet.begin() + 12, packet.end());
  all.insert(all.end(), {std::byte{0}, std::byte{17}, packet[24], packet[25]});
  if (packet.size() % 2 != 0) all.insert(all.end() - 4, std::byte{0});
  unsigned long sum = 0;
  for (std::size_t i = 0; i < all.size(); i += 2)
    sum += two_bytes(all, i);
  while (sum >> 16 != 0)
    sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<unsigned>(sum);
}

/// With this much payload, of which each byte depends on its place, and headers whose checksums are not right.
Packet numbered(std::size_t payload, unsigned identification = 7) {
  Packet packet = packet_to(host_address(1), payload);
  put(packet, 4, identification, 2);
  put(packet, 12, host_address(0), 4);
  put(packet, 20, 9000, 2);
  put(packet, 22, 9001, 2);
  put(packet, 24, static_cast<std::uint32_t>(8 + payload), 2);
  for (std::size_t i = 0; i < payload; ++i)
    packet[headers + i] = static_cast<std::byte>(i * 7 + i / 256);
  return packet;
}

Packet datagram_of(const Packet& train, std::size_t payload, std::size_t index) {
  Packet packet(2000);
  packet.resize(cut_datagram(train, payload, index, packet));
  return packet;
}

/// A train as a device reads it, in one piece.
Packet written(std::span<const iovec> pieces, OffloadHeader& header) {
  Packet bytes;
  for (const iovec& piece : pieces.subspan(1)) {
    const auto* const begin = static_cast<const std::byte*>(piece.iov_base);
    bytes.insert(bytes.end(), begin, begin + piece.iov_len);
  }
  std::memcpy(&header, pieces[0].iov_base, sizeof header);
  return bytes;
}

TEST(DatagramTrain, is_cut_into_datagrams_with_headers_of_their_own) {
  const Packet train = numbered(2301);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Packet packet = datagram_of(train, 1000, i);
    const std::size_t payload = i < 2 ? 1000 : 301;
    ASSERT_EQ(packet.size(), headers + payload);
    EXPECT_EQ(two_bytes(packet, 2), packet.size());
    EXPECT_EQ(two_bytes(packet, 4), 7 + i) << "identification";
    EXPECT_EQ(two_bytes(packet, 24), 8 + payload);
    EXPECT_EQ(folded(internet_sum(std::span(packet).first(ip_header))), 0xffff);
    EXPECT_EQ(udp_sum(packet), 0xffffU);
    EXPECT_TRUE(std::equal(packet.begin() + headers, packet.end(),
                           train.begin() + static_cast<std::ptrdiff_t>(headers + begin)));
    EXPECT_TRUE(std::equal(packet.begin() + 12, packet.begin() + 24, train.begin() + 12));
    begin += payload;
  }
  EXPECT_TRUE(datagram_of(train, 1000, 3).empty());
}

TEST(DatagramTrain, of_anything_else_has_no_datagrams) {
  const Packet train = numbered(2300);
  EXPECT_TRUE(datagram_of(train, 0, 0).empty());
  EXPECT_TRUE(datagram_of(train, 2300, 0).empty()) << "longer than its place";
  Packet tcp = train;
  tcp[9] = std::byte{6};
  EXPECT_TRUE(datagram_of(tcp, 1000, 0).empty());
  Packet fragment = train;
  put(fragment, 6, 0x2000, 2);
  EXPECT_TRUE(datagram_of(fragment, 1000, 0).empty());
  for (std::size_t bytes = 0; bytes <= headers; ++bytes)
    EXPECT_TRUE(
        datagram_of(Packet(train.begin(), train.begin() + static_cast<std::ptrdiff_t>(bytes)), 1000, 0)
            .empty());
}

TEST(DatagramTrain, a_checksum_that_was_left_to_the_device_is_completed) {
  for (const std::size_t payload : {1U, 4U, 301U, 1000U}) {
    const Packet right = datagram_of(numbered(payload), 1400, 0);
    Packet packet = right;
    Packet pseudo(right.begin() + 12, right.begin() + 20);
    pseudo.insert(pseudo.end(), {std::byte{0}, std::byte{17}, right[24], right[25]});
    put_as_read(packet, 26, folded(internet_sum(pseudo)));
    OffloadHeader header{};
    header.checksum_begin = ip_header;
    header.checksum_offset = 6;
    const Packet as_it_was = packet;
    complete_checksum(header, packet);
    EXPECT_EQ(packet, as_it_was) << "it was not left";
    header.flags = OffloadHeader::checksum_left;
    complete_checksum(header, packet);
    EXPECT_EQ(packet, right);
    header.checksum_offset = static_cast<std::uint16_t>(packet.size());
    complete_checksum(header, packet);
    EXPECT_EQ(packet, right) << "outside";
  }
}

TEST(DatagramTrain, what_is_joined_is_cut_into_the_same_again) {
  const Packet train = numbered(3600);
  std::vector<Packet> packets;
  OutgoingTrain joined;
  for (std::size_t i = 0; i < 4; ++i)
    packets.push_back(datagram_of(train, 1000, i));
  for (const Packet& packet : packets) {
    EXPECT_TRUE(joined.takes(packet));
    joined.add(packet);
  }
  EXPECT_FALSE(joined.takes(packets[0])) << "the last was shorter";
  OffloadHeader header{};
  const Packet together = written(joined.together(), header);
  EXPECT_EQ(together.size(), train.size());
  EXPECT_EQ(header.kind, OffloadHeader::train_of_datagrams);
  EXPECT_EQ(header.payload_bytes, 1000);
  EXPECT_EQ(header.flags, OffloadHeader::checksum_left);
  EXPECT_EQ(folded(internet_sum(std::span(together).first(ip_header))), 0xffff);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(datagram_of(together, header.payload_bytes, i), packets[i]);
    OffloadHeader of_one{};
    const Packet alone = written(joined.alone(i), of_one);
    EXPECT_EQ(alone, packets[i]);
    EXPECT_EQ(of_one.kind, 0);
    EXPECT_EQ(of_one.flags, 0);
  }
}

TEST(DatagramTrain, has_datagrams_of_one_flow_alone) {
  const Packet first = datagram_of(numbered(1000), 1000, 0);
  OutgoingTrain joined;
  EXPECT_TRUE(joined.takes(first));
  joined.add(first);
  EXPECT_TRUE(joined.takes(first));
  const auto changed = [&](std::size_t offset) {
    Packet packet = first;
    packet[offset] ^= std::byte{1};
    return packet;
  };
  EXPECT_TRUE(joined.takes(changed(headers))) << "payload";
  EXPECT_TRUE(joined.takes(changed(5))) << "identification";
  // Congestion, time to live, protocol, addresses and ports.
  for (const std::size_t offset : {1U, 8U, 9U, 12U, 19U, 20U, 23U})
    EXPECT_FALSE(joined.takes(changed(offset))) << offset;
  Packet unchecked = first;
  put(unchecked, 26, 0, 2);
  EXPECT_FALSE(joined.takes(unchecked)) << "its bytes were changed on the way";
  Packet fragment = first;
  put(fragment, 6, 0x2000, 2);
  EXPECT_FALSE(joined.takes(fragment));
  EXPECT_FALSE(joined.takes(datagram_of(numbered(1001), 1400, 0)));
  EXPECT_TRUE(joined.takes(datagram_of(numbered(999), 1400, 0)));
  EXPECT_FALSE(joined.takes(datagram_of(numbered(0), 1400, 0)));
  for (std::size_t i = 1; i < 65'000 / 1000; ++i) {
    EXPECT_TRUE(joined.takes(first) || i == 64) << i;
    joined.add(first);
  }
  EXPECT_FALSE(joined.takes(first)) << "IP's length has 16 bits";
}

}  // namespace
}  // namespace lbsp::wan::packets
