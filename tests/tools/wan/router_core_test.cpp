#include "tools/wan/router_core.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "tests/tools/temporary_folder.hpp"
#include "tools/wan/ip_packet.hpp"

namespace lbsp::wan {
namespace {

using namespace std::chrono_literals;
using transport::Instant;
using transport::parse_wan_spec;
using Packet = std::vector<std::byte>;

constexpr Instant start{1s};
constexpr std::size_t headers = 28;

void put(Packet& packet, std::size_t offset, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    packet[offset + static_cast<std::size_t>(i)] =
        static_cast<std::byte>(value >> (8 * (bytes - 1 - i)) & 0xff);
}

/// A UDP datagram (protocol 17) or whatever else, whose payload begins with its number.
Packet packet_to(std::uint32_t address, std::size_t payload = 1000, std::uint32_t number = 0,
                 int protocol = 17) {
  Packet packet(headers + payload);
  packet[0] = std::byte{0x45};
  put(packet, 2, static_cast<std::uint32_t>(packet.size()), 2);
  packet[9] = static_cast<std::byte>(protocol);
  put(packet, 16, address, 4);
  put(packet, 26, 0xbeef, 2);
  if (payload >= 4) put(packet, headers, number, 4);
  return packet;
}

struct Arrived {
  Instant time;
  int from;
  int to;
  Packet packet;
  std::uint32_t number() const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
      value = value << 8 | std::to_integer<std::uint32_t>(packet[headers + i]);
    return value;
  }
};

/// A core in virtual time.
class Net {
 public:
  explicit Net(PairSpecs specs, std::size_t most_held = RouterCore::default_most_held, std::uint64_t seed = 1,
               bool tells = true)
      : counters_(CounterFile::create(folder_.path() / "counters", specs.hosts())),
        core_(specs, seed, tells, counters_, most_held) {}

  void send(Instant now, int from, const Packet& packet) {
    std::ranges::copy(packet, core_.buffer().begin());
    core_.take(now, from, packet.size());
  }

  /// All that is under way, each at its time and `lateness`.
  std::vector<Arrived> arrivals(transport::Duration lateness = 0ns) {
    std::vector<Arrived> all;
    while (core_.next() != transport::never) {
      const Instant due = core_.next();
      EXPECT_FALSE(core_.pop_due(due - 1ns));
      const auto delivery = core_.pop_due(due);
      all.push_back(
          {due, delivery->from, delivery->to, Packet(delivery->packet.begin(), delivery->packet.end())});
      core_.done(*delivery, due + lateness, true);
    }
    return all;
  }

  RouterCore& core() { return core_; }
  CounterFile& counters() { return counters_; }

 private:
  programs::TemporaryFolder folder_;
  CounterFile counters_;
  RouterCore core_;
};

TEST(RouterCore, delivers_to_the_host_of_the_address_after_half_a_round_trip) {
  Net net(PairSpecs(3, parse_wan_spec("rtt=20ms")));
  const auto packet = packet_to(host_address(2));
  net.send(start, 0, packet);
  const auto arrivals = net.arrivals();
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].time, start + 10ms);
  EXPECT_EQ(arrivals[0].from, 0);
  EXPECT_EQ(arrivals[0].to, 2);
  EXPECT_EQ(arrivals[0].packet, packet);
  EXPECT_EQ(net.counters().pair(0, 2).delivered.get(), 1U);
  EXPECT_EQ(net.counters().pair(0, 2).delivered_bytes.get(), 1000U);
}

TEST(RouterCore, treats_each_ordered_pair_by_its_own_spec) {
  PairSpecs specs(2, parse_wan_spec("rtt=20ms"));
  specs.at(1, 0) = parse_wan_spec("rtt=60ms,loss=100%");
  Net net(specs);
  net.send(start, 0, packet_to(host_address(1)));
  net.send(start, 1, packet_to(host_address(0)));
  const auto arrivals = net.arrivals();
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].to, 1);
  EXPECT_EQ(net.counters().pair(1, 0).lost.get(), 1U);
}

TEST(RouterCore, counts_what_is_for_nobody_and_drops_it) {
  Net net(PairSpecs(2, {}));
  for (const std::uint32_t address :
       {host_address(2), host_address(0) - 1, host_address(0), 0xe0000001U, ~0U})
    net.send(start, 0, packet_to(address));
  auto wrong = packet_to(host_address(1));
  wrong[0] = std::byte{0x65};  // IPv6
  net.send(start, 0, wrong);
  wrong[0] = std::byte{0x4f};
  wrong.resize(30);
  net.send(start, 0, wrong);
  net.send(start, 0, {});
  EXPECT_TRUE(net.arrivals().empty());
  EXPECT_EQ(net.counters().router().unroutable.get(), 8U);
}

TEST(RouterCore, serialises_all_that_a_host_sends_at_its_rate) {
  Net net(
      PairSpecs(3, parse_wan_spec("rate=8Mbit,rtt=2ms")));  // a byte each microsecond, headers not counted
  net.send(start, 0, packet_to(host_address(1)));
  net.send(start, 0, packet_to(host_address(2)));
  net.send(start, 1, packet_to(host_address(0)));
  const auto arrivals = net.arrivals();
  ASSERT_EQ(arrivals.size(), 3U);
  EXPECT_EQ(arrivals[0].time, start + 2ms);
  EXPECT_EQ(arrivals[1].time, start + 2ms);
  EXPECT_EQ(arrivals[2].time, start + 3ms);
  EXPECT_EQ(arrivals[2].to, 2);
}

TEST(RouterCore, drops_what_finds_the_uplinks_queue_full) {
  Net net(PairSpecs(2, parse_wan_spec("rate=8Mbit,queue=10000B")));
  for (int i = 0; i < 100; ++i)
    net.send(start, 0, packet_to(host_address(1)));
  EXPECT_EQ(net.arrivals().size(), 11U);  // as transport::Uplink
  EXPECT_EQ(net.counters().pair(0, 1).queue_drops.get(), 89U);
  EXPECT_EQ(net.counters().pair(0, 1).lost.get(), 0U);
}

TEST(RouterCore, narrower_pair_waits_behind_its_own_bottleneck_and_holds_up_nobody_else) {
  PairSpecs specs(3, parse_wan_spec("rate=8Mbit"));
  specs.at(0, 1) = parse_wan_spec("rate=800kbit");
  Net net(specs);
  for (const int to : {1, 1, 2})
    net.send(start, 0, packet_to(host_address(to)));
  const auto arrivals = net.arrivals();
  ASSERT_EQ(arrivals.size(), 3U);
  EXPECT_EQ(arrivals[0].to, 2);
  EXPECT_EQ(arrivals[0].time, start + 3ms);
  EXPECT_EQ(arrivals[1].time, start + 11ms);
  EXPECT_EQ(arrivals[2].time, start + 21ms);
}

TEST(RouterCore, loses_duplicates_reorders_and_corrupts_the_asked_fractions_of_every_protocol) {
  for (const int protocol : {17, 6}) {
    Net net(PairSpecs(2, parse_wan_spec("rtt=10ms,loss=10%,burst=3,duplicate=2%,reorder=3%,corrupt=4%")));
    constexpr int count = 50'000;
    for (int i = 0; i < count; ++i)
      net.send(start + i * 10us, 0, packet_to(host_address(1), 100, static_cast<std::uint32_t>(i), protocol));
    const auto arrivals = net.arrivals();
    const auto& counts = net.counters().pair(0, 1);
    EXPECT_EQ(counts.offered.get(), static_cast<std::uint64_t>(count));
    EXPECT_EQ(counts.delivered.get(), arrivals.size());
    EXPECT_EQ(counts.offered.get() + counts.duplicated.get(), counts.delivered.get() + counts.lost.get());
    EXPECT_NEAR(static_cast<double>(counts.lost.get()), 0.1 * count, 0.01 * count);
    EXPECT_NEAR(static_cast<double>(counts.duplicated.get()), 0.018 * count, 0.004 * count);
    EXPECT_NEAR(static_cast<double>(counts.reordered.get()), 0.03 * 0.918 * count, 0.005 * count);
    EXPECT_NEAR(static_cast<double>(counts.corrupted.get()), 0.04 * 0.918 * count, 0.005 * count);
    EXPECT_GT(arrivals.size(), 0U);
  }
}

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

TEST(RouterCore, same_seed_loses_the_same_packets) {
  const auto survivors = [](std::uint64_t seed) {
    Net net(PairSpecs(2, parse_wan_spec("loss=30%,reorder=10%,rtt=5ms")), RouterCore::default_most_held,
            seed);
    for (int i = 0; i < 500; ++i)
      net.send(start + i * 100us, 0, packet_to(host_address(1), 100, static_cast<std::uint32_t>(i)));
    std::vector<std::uint32_t> numbers;
    for (const auto& arrival : net.arrivals())
      numbers.push_back(arrival.number());
    return numbers;
  };
  EXPECT_EQ(survivors(1), survivors(1));
  EXPECT_NE(survivors(1), survivors(2));
}

TEST(RouterCore, counts_what_it_cannot_hold_cannot_deliver_or_delivers_late) {
  Net net(PairSpecs(2, parse_wan_spec("rtt=1s")), 10);
  for (int i = 0; i < 25; ++i)
    net.send(start, 0, packet_to(host_address(1)));
  const auto& counts = net.counters().pair(0, 1);
  EXPECT_EQ(counts.discarded.get(), 15U);
  EXPECT_EQ(net.counters().router().held.get(), 10U);
  const auto refused = net.core().pop_due(start + 1s);
  net.core().done(*refused, start + 1s, false);
  EXPECT_EQ(counts.refused.get(), 1U);
  net.arrivals(late_after);
  EXPECT_EQ(counts.late.get(), 0U);
  net.send(start + 2s, 0, packet_to(host_address(1)));
  net.arrivals(late_after + 1us);
  EXPECT_EQ(counts.late.get(), 1U);
  EXPECT_EQ(counts.longest_lateness.get(), 201'000U);
  EXPECT_EQ(counts.lateness.get(), 9 * 200'000U + 201'000U);
  EXPECT_EQ(net.counters().router().most_held.get(), 10U);
  EXPECT_EQ(net.counters().router().held.get(), 0U);
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

TEST(RouterCore, all_who_send_to_a_host_share_its_downlink) {
  Net net(PairSpecs(3, parse_wan_spec("rtt=2ms,down=8Mbit,queue=3000B")));
  for (int i = 0; i < 10; ++i) {
    for (const int from : {1, 2})
      net.send(start, from, packet_to(host_address(0)));
  }
  std::vector<Instant> times;
  while (net.core().next() != transport::never) {
    const Instant due = net.core().next();
    if (const auto delivery = net.core().pop_due(due)) {
      times.push_back(due);
      net.core().done(*delivery, due, true);
    }
  }
  // One on the wire and three in the queue; the rest finds it full.
  EXPECT_EQ(times, (std::vector<Instant>{start + 2ms, start + 3ms, start + 4ms, start + 5ms}));
  EXPECT_EQ(net.counters().pair(1, 0).downlink_drops.get() + net.counters().pair(2, 0).downlink_drops.get(),
            16U);
  EXPECT_EQ(net.counters().router().held.get(), 0U);
}

TEST(RouterCore, a_changed_network_holds_for_what_is_sent_from_then_on) {
  Net net(PairSpecs(2, parse_wan_spec("rtt=20ms,rate=8Mbit")));
  net.send(start, 0, packet_to(host_address(1)));
  net.send(start, 0, packet_to(host_address(1)));
  // Two thousand bytes wait: at a tenth of the rate the next leaves 20 + 10 ms later.
  net.core().change(PairSpecs(2, parse_wan_spec("rtt=2ms,rate=800kbit")), start);
  net.send(start, 0, packet_to(host_address(1)));
  const auto arrivals = net.arrivals();
  ASSERT_EQ(arrivals.size(), 3U);
  EXPECT_EQ(arrivals[0].time, start + 11ms);
  EXPECT_EQ(arrivals[1].time, start + 12ms);
  EXPECT_EQ(arrivals[2].time, start + 31ms);
  EXPECT_EQ(net.counters().router().changes.get(), 1U);

  net.core().change(PairSpecs(2, parse_wan_spec("down=8Mbit")), start + 1s);
  net.core().change(PairSpecs(2, {}), start + 1s);
  net.send(start + 1s, 0, packet_to(host_address(1)));
  ASSERT_EQ(net.arrivals().size(), 1U) << "without links nothing waits";
}

TEST(CounterFile, is_read_while_another_counts_and_not_taken_for_another_size) {
  const programs::TemporaryFolder folder;
  const auto path = folder.path() / "counters";
  auto writer = CounterFile::create(path, 3);
  const auto reader = CounterFile::open(path, 3);
  writer.pair(2, 1).offered.add(7);
  EXPECT_EQ(reader.pair(2, 1).offered.get(), 7U);
  EXPECT_ANY_THROW(CounterFile::open(path, 4));
  EXPECT_ANY_THROW(CounterFile::open(folder.path() / "none", 3));
  EXPECT_ANY_THROW(CounterFile::create(path, 3));
}

}  // namespace
}  // namespace lbsp::wan
