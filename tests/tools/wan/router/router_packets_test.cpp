// What the router does to the bytes of packets.
#include <algorithm>
#include <chrono>
#include <vector>

#include "tests/tools/wan/router/router_net.hpp"

namespace lbsp::wan::router {

using network::PairSpecs;
using packets::host_address;

namespace {

using transport::parse_wan_spec;

TEST(RouterCore, corrupts_only_what_follows_the_headers) {
  Net net(PairSpecs(2, parse_wan_spec("corrupt=100%")));
  const auto sent = packet_to(host_address(1), 100);
  for (int i = 0; i < 200; ++i)
    net.send(start, 0, sent);
  const auto arrivals = net.arrivals();
  ASSERT_EQ(arrivals.size(), 200U);
  auto unchecked = sent;
  put(unchecked, 26, 0, 2);  // otherwise the receiving kernel would not let the program see it
  for (const auto& arrival : arrivals) {
    EXPECT_TRUE(std::equal(unchecked.begin(), unchecked.begin() + headers, arrival.packet.begin()));
    EXPECT_NE(arrival.packet, unchecked);
  }
}

TEST(RouterCore, leaves_the_checksums_of_other_protocols_and_of_fragments) {
  for (const bool fragment : {false, true}) {
    Net net(PairSpecs(2, parse_wan_spec("corrupt=100%")));
    auto sent = packet_to(host_address(1), 100, 0, fragment ? 17 : 6);
    if (fragment) put(sent, 6, 0x2000, 2);  // more fragments follow
    net.send(start, 0, sent);
    const auto arrivals = net.arrivals();
    ASSERT_EQ(arrivals.size(), 1U);
    EXPECT_TRUE(std::equal(sent.begin(), sent.begin() + 20, arrivals[0].packet.begin()));
    if (fragment) {
      EXPECT_EQ(arrivals[0].packet[26], sent[26]);
    }
    EXPECT_NE(arrivals[0].packet, sent);
  }
}

TEST(RouterCore, what_is_longer_than_the_path_carries_is_dropped_and_its_sender_told) {
  Net net(PairSpecs(2, parse_wan_spec("mtu=1000")));
  const auto fits = packet_to(host_address(1), 1000 - headers);
  const auto longer = packet_to(host_address(1), 1001 - headers);
  net.send(start, 0, fits);
  net.send(start, 0, longer);
  const auto arrivals = net.arrivals();
  ASSERT_EQ(arrivals.size(), 2U);
  EXPECT_EQ(arrivals[0].packet, fits);
  const Packet& told = arrivals[1].packet;
  EXPECT_EQ(arrivals[1].to, 0);
  ASSERT_EQ(told.size(), 20U + 8 + 20 + 8);
  EXPECT_EQ(told[9], std::byte{1});   // ICMP
  EXPECT_EQ(told[20], std::byte{3});  // destination unreachable
  EXPECT_EQ(told[21], std::byte{4});  // fragmentation needed
  EXPECT_EQ(std::to_integer<int>(told[26]) * 256 + std::to_integer<int>(told[27]), 1000);
  EXPECT_TRUE(std::equal(longer.begin(), longer.begin() + headers, told.begin() + headers));
  EXPECT_EQ(net.counters().pair(0, 1).too_long.get(), 1U);
  EXPECT_EQ(net.counters().pair(1, 0).delivered.get(), 0U) << "it is the router's own";
}

/// RFC 1071.
unsigned header_sum(const Packet& packet) {
  unsigned sum = 0;
  for (std::size_t i = 0; i < 20; i += 2)
    sum += std::to_integer<unsigned>(packet[i]) * 256 + std::to_integer<unsigned>(packet[i + 1]);
  sum = (sum & 0xffffU) + (sum >> 16);
  return (sum & 0xffffU) + (sum >> 16);
}

/// 1000 bytes wait for a millisecond.
TEST(RouterCore, a_queue_marks_what_lets_itself_be_marked_and_finds_it_long) {
  for (const char* spec : {"rate=8Mbit,ecn=2500B", "down=8Mbit,ecn=2500B"}) {
    for (const int type_of_service : {0, 1, 2, 3, 0xba}) {
      Net net(PairSpecs(2, parse_wan_spec(spec)));
      auto sent = packet_to(host_address(1), 1000);
      put(sent, 1, static_cast<std::uint32_t>(type_of_service), 1);
      put(sent, 10, 0xffffU - header_sum(sent), 2);
      for (int i = 0; i < 6; ++i)
        net.send(start, 0, sent);
      std::vector<Packet> arrivals;
      const transport::Instant later = start + std::chrono::seconds{1};
      while (const auto delivery = net.core().pop_due(later)) {
        arrivals.emplace_back(delivery->packet.begin(), delivery->packet.end());
        net.core().done(*delivery, later, true);
      }
      ASSERT_EQ(arrivals.size(), 6U);
      const bool may_be = (type_of_service & 3) != 0;
      for (std::size_t i = 0; i < 6; ++i) {
        const int expected = may_be && i > 2 ? type_of_service | 3 : type_of_service;
        EXPECT_EQ(std::to_integer<int>(arrivals[i][1]), expected) << spec << i;
        EXPECT_EQ(header_sum(arrivals[i]), 0xffffU) << spec << i;
      }
      EXPECT_EQ(net.counters().pair(0, 1).marked.get(), may_be && type_of_service != 3 ? 3U : 0U);
    }
  }
}

TEST(RouterCore, nobody_is_told_where_that_is_not_wanted_or_the_packet_is_itself_such_a_message) {
  Net silent(PairSpecs(2, parse_wan_spec("mtu=1000")), RouterCore::default_most_held, 1, false);
  silent.send(start, 0, packet_to(host_address(1), 1400));
  EXPECT_TRUE(silent.arrivals().empty());
  EXPECT_EQ(silent.counters().pair(0, 1).too_long.get(), 1U);

  Net net(PairSpecs(2, parse_wan_spec("mtu=1000")));
  auto message = packet_to(host_address(1), 1400, 0, 1);
  message[20] = std::byte{3};
  net.send(start, 0, message);
  EXPECT_TRUE(net.arrivals().empty());
  message[20] = std::byte{8};  // an echo request
  net.send(start, 0, message);
  EXPECT_EQ(net.arrivals().size(), 1U);
}

}  // namespace
}  // namespace lbsp::wan::router
