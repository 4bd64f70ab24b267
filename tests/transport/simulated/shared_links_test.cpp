#include <cmath>
#include <gtest/gtest.h>

#include "tests/transport/start.hpp"
#include "transport/error.hpp"
#include "transport/simulated/bottleneck.hpp"
#include "transport/simulated/network.hpp"
#include "transport/simulated/shared_time.hpp"
#include "transport/simulated/superstep.hpp"
#include "transport/simulated/tcp_flow.hpp"

/// The simulated network's shared links and competing flows against what can be calculated.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

std::shared_ptr<Bottleneck> link_of(double megabits, std::uint64_t queue_bytes = 256 << 10) {
  return std::make_shared<Bottleneck>(BottleneckSpec{megabits_per_second(megabits), queue_bytes});
}

TEST(Bottleneck, sends_one_datagram_after_another_at_its_rate) {
  Bottleneck link({megabits_per_second(8), 10'000});
  EXPECT_EQ(link.send(start, 1000), start + 1ms);
  EXPECT_EQ(link.send(start, 1000), start + 2ms);
  EXPECT_EQ(link.waiting(start + 500us), 1500us);
  EXPECT_EQ(link.send(start + 5ms, 1000), start + 6ms);
}

TEST(Bottleneck, drops_what_finds_its_queue_full) {
  Bottleneck link({megabits_per_second(8), 10'000});
  for (int i = 0; i < 20; ++i)
    link.send(start, 1000);
  EXPECT_EQ(link.datagrams(), 11u) << "ten that wait, and the one behind them that found just 10,000 bytes";
  EXPECT_EQ(link.drops(), 9u);
  EXPECT_TRUE(link.send(start + 1ms, 1000));
}

TEST(Bottleneck, changes_its_rate_for_what_waits_too) {
  Bottleneck link({megabits_per_second(8), 10'000, {{start + 1500us, megabits_per_second(4)}}});
  EXPECT_EQ(link.send(start, 1000), start + 1ms);
  EXPECT_EQ(link.send(start, 1000), start + 2500us) << "half at 8, half at 4 Mbit/s";
  EXPECT_EQ(link.send(start, 1000), start + 4500us);
}

TEST(Bottleneck, that_polices_delays_nothing_and_drops_what_exceeds_its_rate_and_burst) {
  Bottleneck link({megabits_per_second(8), 10'000, {}, true});
  std::uint64_t passed = 0;
  for (int i = 0; i < 2000; ++i)
    passed += link.send(start + i * 500us, 1000) == start + i * 500us ? 1000U : 0U;
  EXPECT_EQ(link.waiting(start + 1s), 0ns);
  EXPECT_NEAR(static_cast<double>(passed), 1e6 + 10'000, 1001);
}

TEST(Bottleneck, with_a_bucket_delays_what_comes_once_that_is_empty) {
  Bottleneck link({.rate = megabits_per_second(8), .queue_bytes = 2000, .bucket_bytes = 3000});
  for (const Duration later : {0ms, 0ms, 0ms, 1ms, 2ms, 3ms})
    EXPECT_EQ(link.send(start, 1000), start + later);
  EXPECT_EQ(link.send(start, 1000), std::nullopt);
  EXPECT_EQ(link.waiting(start + 1ms), 2ms);
  EXPECT_EQ(link.send(start + 10ms, 1000), start + 10ms);
}

TEST(Bottleneck, marks_what_may_be_marked_and_finds_its_queue_longer_than_that) {
  Bottleneck link({.rate = megabits_per_second(8), .queue_bytes = 10'000, .mark_bytes = 1500});
  for (const bool marked : {false, false, true, true}) {
    Ecn ecn = Ecn::capable;
    EXPECT_TRUE(link.send(start, 1000, ecn));
    EXPECT_EQ(ecn, marked ? Ecn::marked : Ecn::capable);
    ecn = Ecn::none;
    if (marked) link.send(start, 1, ecn);
    EXPECT_EQ(ecn, Ecn::none);
  }
  EXPECT_EQ(link.marks(), 2u);
}

TEST(Bottleneck, does_not_let_one_send_before_the_others) {
  Bottleneck link({megabits_per_second(8), 10'000});
  link.send(start + 1s, 1000);
  EXPECT_THROW(link.send(start, 1000), std::logic_error);
}

SimulationConfig two_hosts_of_two(std::shared_ptr<Bottleneck> uplink, std::shared_ptr<Bottleneck> downlink) {
  SimulationConfig config;
  config.size = 4;
  config.wan = parse_wan_spec("rtt=20ms");
  config.topology.hosts = {{2, std::move(uplink), nullptr}, {2, nullptr, std::move(downlink)}};
  config.options.rate = megabits_per_second(10);
  return config;
}

/// The superstep in which ranks 0 and 1, on one host, send 2 and 3, on the other, 50,000 bytes each.
Duration from_host_to_host(const SimulationConfig& config) {
  SimulatedNetwork network(config);
  std::vector<std::vector<Bytes>> outgoing(4, std::vector<Bytes>(4));
  for (const std::size_t from : {0U, 1U})
    for (const std::size_t to : {2U, 3U})
      outgoing[from][to] = Bytes(50'000);
  const Instant begin = network.now();
  const SuperstepOutcome outcome = run_superstep(network, std::move(outgoing));
  return *std::ranges::max_element(outcome.completed) - begin;
}

TEST(SharedLinks, ranks_of_one_host_share_its_uplink_or_downlink) {
  const double bytes = 200'000 * 1400. / 1354;
  const auto data = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(bytes / 1.25e6));
  for (const bool up : {true, false}) {
    const auto link = link_of(10, 1 << 20);
    const Duration taken = from_host_to_host(two_hosts_of_two(up ? link : nullptr, up ? nullptr : link));
    EXPECT_GE(taken, data + 10ms);
    EXPECT_LE(taken, data + 25ms);
    EXPECT_EQ(link->drops(), 0u);
  }
}

TEST(SharedLinks, a_full_queue_of_a_downlink_drops) {
  const auto link = link_of(2, 8 << 10);
  from_host_to_host(two_hosts_of_two(nullptr, link));
  EXPECT_GT(link->drops(), 0u);
}

TEST(SharedLinks, ranks_of_one_host_reach_each_other_without_wan_or_links) {
  SimulationConfig config = two_hosts_of_two(link_of(0.001), nullptr);
  config.size = 2;
  config.wan.loss = 1;
  SimulatedNetwork network(config);
  const Instant begin = network.now();
  const SuperstepOutcome outcome = run_superstep(network, std::vector(2, std::vector<Bytes>(2, Bytes(100))));
  for (const Instant completed : outcome.completed)
    EXPECT_EQ(completed - begin, config.topology.local_delay);
}

TEST(SharedLinks, every_rank_has_a_place) {
  SimulationConfig config = two_hosts_of_two(nullptr, nullptr);
  config.size = 5;
  EXPECT_THROW(SimulatedNetwork{config}, UsageError);
}

double megabits(const TcpFlow& flow, std::uint64_t before, Duration time) {
  const std::chrono::duration<double> seconds = time;
  return static_cast<double>(flow.delivered_bytes() - before) * 8e-6 / seconds.count();
}

constexpr auto every_control = {CongestionControl::reno, CongestionControl::cubic, CongestionControl::bbr};

TEST(TcpFlow, fills_a_link_with_a_queue_of_its_product) {
  for (const auto control : every_control) {
    const auto link = link_of(50, 250'000);
    TcpFlow flow({control, 40ms, start}, link);
    SharedTime time;
    time.add(flow);
    time.run_until([] { return false; }, start + 20s);
    EXPECT_GT(megabits(flow, 0, 20s), 47);
    EXPECT_GT(flow.lost_segments(), 0u) << "it stops at losses only";
  }
}

TEST(TcpFlow, reno_without_a_queue_has_three_quarters_of_the_link) {
  const auto link = link_of(20, 3000);
  TcpFlow flow({CongestionControl::reno, 40ms, start}, link);
  SharedTime time;
  time.add(flow);
  time.run_until([] { return false; }, start + 10s);
  const std::uint64_t before = flow.delivered_bytes();
  time.run_until([] { return false; }, start + 70s);
  EXPECT_NEAR(megabits(flow, before, 60s), 15, 1.5);
}

TEST(TcpFlow, ends_when_all_its_segments_have_arrived) {
  for (const auto control : every_control) {
    TcpFlow flow({.control = control, .start = start, .segments = 70}, link_of(1000));
    SharedTime time;
    time.add(flow);
    time.run_until([] { return false; }, start + 20s);
    EXPECT_EQ(flow.next_event(), never);
    EXPECT_EQ(flow.delivered_bytes(), 70u * 1448u);
    ASSERT_TRUE(flow.finished());
    EXPECT_GE(*flow.finished() - start, 120ms) << "10, 20 and 40 segments take a round trip each";
    EXPECT_LE(*flow.finished() - start, 200ms) << "or four, where they are paced";
  }
}

TEST(TcpFlow, bbr_keeps_a_deep_queue_short) {
  const auto link = link_of(50, 4 * 250'000);
  TcpFlow flow({CongestionControl::bbr, 40ms, start}, link);
  SharedTime time;
  time.add(flow);
  time.run_until([] { return false; }, start + 5s);
  Duration longest{0};
  for (int i = 0; i < 200; ++i) {
    time.run_until([] { return false; }, start + 5s + i * 25ms);
    longest = std::max(longest, link->waiting(start + 5s + i * 25ms));
  }
  EXPECT_LT(longest, 45ms) << "at most the second product of its window waits";
  EXPECT_EQ(flow.lost_segments(), 0u);
}

TEST(TcpFlow, bbr_looks_for_the_least_round_trip_every_ten_seconds) {
  TcpFlow flow({CongestionControl::bbr, 40ms, start}, link_of(50, 250'000));
  SharedTime time;
  time.add(flow);
  int short_windows = 0;
  for (int i = 0; i < 3200; ++i) {
    time.run_until([] { return false; }, start + i * 10ms);
    if (flow.window() <= 4) ++short_windows;
  }
  EXPECT_NEAR(short_windows, 3 * 24, 24) << "three times 240 ms in 32 s";
}

TEST(TcpFlow, two_alike_share_a_link) {
  for (const auto control : every_control) {
    const auto link = link_of(20, 100'000);
    TcpFlow first({control, 40ms, start}, link);
    TcpFlow second({control, 40ms, start + 5s}, link);
    SharedTime time;
    time.add(first);
    time.add(second);
    time.run_until([] { return false; }, start + 60s);
    const std::uint64_t of_first = first.delivered_bytes();
    const std::uint64_t of_second = second.delivered_bytes();
    time.run_until([] { return false; }, start + 180s);
    EXPECT_NEAR(megabits(first, of_first, 120s), 10, 2.5);
    EXPECT_NEAR(megabits(second, of_second, 120s), 10, 2.5);
  }
}

TEST(TcpFlow, follows_a_link_that_becomes_slower_and_faster) {
  BottleneckSpec spec{megabits_per_second(50), 250'000};
  spec.changes = {{start + 10s, megabits_per_second(25)}, {start + 20s, megabits_per_second(50)}};
  const auto link = std::make_shared<Bottleneck>(spec);
  TcpFlow flow({CongestionControl::cubic, 40ms, start}, link);
  SharedTime time;
  time.add(flow);
  std::vector<double> rates;
  for (const Duration end : {Duration{10s}, Duration{20s}, Duration{30s}}) {
    const std::uint64_t before = flow.delivered_bytes();
    time.run_until([] { return false; }, start + end);
    rates.push_back(megabits(flow, before, 10s));
  }
  EXPECT_GT(rates[0], 45);
  EXPECT_NEAR(rates[1], 25, 1);
  EXPECT_GT(rates[2], 40);
}

}  // namespace
}  // namespace lbsp::transport
