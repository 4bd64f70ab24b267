#include "tools/wan/router/router_core.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "tests/tools/wan/router/router_net.hpp"

namespace lbsp::wan::router {

using network::PairSpecs;
using packets::host_address;

namespace {

using namespace std::chrono_literals;
using transport::Instant;
using transport::parse_wan_spec;

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
  const test::TemporaryFolder folder;
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
}  // namespace lbsp::wan::router
