#include <algorithm>
#include <gtest/gtest.h>

#include "transport/error.hpp"
#include "transport/simulated/network.hpp"
#include "transport/simulated/superstep.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

SimulationConfig job(Rank size, std::string_view wan, std::uint64_t seed = 1) {
  SimulationConfig config;
  config.size = size;
  config.wan = parse_wan_spec(wan);
  config.seed = seed;
  return config;
}

std::byte pattern(Rank from, Rank to, std::size_t i) {
  return std::byte(
      (static_cast<std::size_t>(from) * 31 + static_cast<std::size_t>(to) * 17 + i * 7 + i / 251) & 0xff);
}

std::vector<std::vector<Bytes>> messages(Rank size, std::size_t bytes) {
  std::vector<std::vector<Bytes>> all(static_cast<std::size_t>(size));
  for (Rank from = 0; from < size; ++from) {
    for (Rank to = 0; to < size; ++to) {
      Bytes message(from == to ? 0 : bytes);
      for (std::size_t i = 0; i < message.size(); ++i)
        message[i] = pattern(from, to, i);
      all[static_cast<std::size_t>(from)].push_back(std::move(message));
    }
  }
  return all;
}

void expect_all_arrived(const SuperstepOutcome& outcome, Rank size, std::size_t bytes) {
  for (Rank to = 0; to < size; ++to) {
    for (Rank from = 0; from < size; ++from) {
      if (from == to) continue;
      const auto& message = outcome.received[static_cast<std::size_t>(to)][static_cast<std::size_t>(from)];
      ASSERT_EQ(message.size(), bytes);
      for (std::size_t i = 0; i < bytes; ++i)
        ASSERT_EQ(message[i], pattern(from, to, i)) << from << "->" << to;
    }
  }
}

TEST(SimulatedNetwork, empty_superstep_takes_one_one_way_delay) {
  SimulatedNetwork network(job(4, "rtt=20ms"));
  const auto start = network.now();
  const auto outcome = run_superstep(network, messages(4, 0));
  for (const auto time : outcome.completed)
    EXPECT_EQ(time - start, 10ms);
}

TEST(SimulatedNetwork, carries_messages_of_many_segments_under_every_fault) {
  SimulatedNetwork network(
      job(3, "loss=20%,rtt=10ms,jitter=2ms,burst=3,reorder=5%,duplicate=5%,corrupt=5%,rate=200Mbit"));
  for (int superstep = 0; superstep < 5; ++superstep) {
    expect_all_arrived(run_superstep(network, messages(3, 50'000)), 3, 50'000);
  }
  run_finish(network);
  const auto impairment = network.impairment();
  EXPECT_GT(impairment.lost, 0u);
  EXPECT_GT(impairment.duplicated, 0u);
  EXPECT_GT(impairment.corrupted, 0u);
  EXPECT_GT(impairment.reordered, 0u);
}

std::uint64_t trace_of(std::uint64_t seed) {
  SimulatedNetwork network(job(4, "loss=20%,rtt=10ms,jitter=1ms,duplicate=2%,corrupt=2%", seed));
  for (int superstep = 0; superstep < 3; ++superstep)
    run_superstep(network, messages(4, 10'000));
  run_finish(network);
  return network.trace_hash();
}

TEST(SimulatedNetwork, same_seed_gives_the_same_trace_and_another_seed_another) {
  EXPECT_EQ(trace_of(1), trace_of(1));
  EXPECT_NE(trace_of(1), trace_of(2));
}

TEST(SimulatedNetwork, uplink_rate_bounds_how_fast_a_superstep_can_be) {
  auto config = job(2, "rtt=20ms,rate=10Mbit,queue=1MiB");
  config.options.rate = megabits_per_second(10);
  SimulatedNetwork network(config);
  const auto start = network.now();
  const auto outcome = run_superstep(network, messages(2, 125'000));  // 100 ms at 10 Mbit/s
  for (const auto time : outcome.completed) {
    EXPECT_GE(time - start, 110ms);
    EXPECT_LE(time - start, 130ms);
  }
}

TEST(SimulatedNetwork, loss_of_everything_ends_in_peer_lost_after_the_peer_timeout) {
  auto config = job(2, "loss=100%,rtt=20ms");
  config.options.peer_timeout = 3s;
  SimulatedNetwork network(config);
  const auto start = network.now();
  EXPECT_THROW(run_superstep(network, messages(2, 100)), PeerLost);
  EXPECT_GE(network.now() - start, 3s);
  EXPECT_LE(network.now() - start, 4s);
}

TEST(SimulatedNetwork, removed_rank_takes_and_sends_nothing) {
  auto config = job(3, "rtt=20ms");
  config.options.peer_timeout = 2s;
  SimulatedNetwork network(config);
  network.remove(1, network.now());
  network.act(0,
              [](Endpoint& endpoint, Instant now) { endpoint.begin_exchange(std::vector<Bytes>(3), now); });
  EXPECT_TRUE(
      network.run_until([&] { return network.endpoint(0).failure().has_value(); }, network.now() + 5s));
  EXPECT_EQ(network.endpoint(0).failure()->rank, 1);
}

TEST(SimulatedNetwork, idle_ranks_are_heard_several_times_within_the_peer_timeout) {
  auto config = job(2, "rtt=0ms");
  config.options.peer_timeout = 400ms;
  SimulatedNetwork network(config);
  network.run_until([] { return false; }, network.now() + 4s);
  for (const Rank rank : {0, 1}) {
    EXPECT_FALSE(network.endpoint(rank).failure());
    EXPECT_GE(network.endpoint(rank).counters().datagrams_sent, 70u);
  }
}

TEST(SimulatedNetwork, bound_of_virtual_time_ends_a_superstep_that_cannot_end) {
  SimulatedNetwork network(job(2, "loss=100%"));
  EXPECT_THROW(run_superstep(network, messages(2, 1), 1s), Error);
}

TEST(SimulatedNetwork, holds_hundreds_of_ranks) {
  SimulatedNetwork network(job(300, "loss=1%,rtt=20ms"));
  const auto start = network.now();
  const auto outcome = run_superstep(network, messages(300, 8));
  EXPECT_LE(*std::max_element(outcome.completed.begin(), outcome.completed.end()) - start, 500ms);
  EXPECT_GE(network.deliveries(), 300u * 299);
}

}  // namespace
}  // namespace lbsp::transport
