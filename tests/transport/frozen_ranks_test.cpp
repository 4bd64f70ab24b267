#include <gtest/gtest.h>

#include "scripted_superstep.hpp"
#include "transport/error.hpp"
#include "transport/simulated/superstep.hpp"

/// Processes that are stopped for longer than the silent-peer limit and go on (SIGSTOP, a freezer, a
/// suspended virtual machine): what they slept is nobody's silence.
namespace lbsp::transport::testing {
namespace {

ExchangeOptions short_patience() {
  ExchangeOptions options;
  options.peer_timeout = 5s;
  return options;
}

std::vector<std::vector<Bytes>> messages(Rank size, std::size_t bytes) {
  std::vector<std::vector<Bytes>> outgoing(static_cast<std::size_t>(size));
  for (Rank from = 0; from < size; ++from) {
    for (Rank to = 0; to < size; ++to)
      outgoing[static_cast<std::size_t>(from)].push_back(patterned(from, to, bytes));
  }
  return outgoing;
}

TEST(FrozenRanks, that_all_slept_begin_a_superstep) {
  ScriptedNetwork network(3, short_patience());
  superstep(network, nothing);
  network.sleep(20s);
  superstep(network, nothing);
}

TEST(FrozenRanks, that_all_slept_send_first) {
  ScriptedNetwork network(3, short_patience());
  superstep(network, nothing);
  network.sleep(20s);
  for (Rank rank = 0; rank < 3; ++rank)
    network.flush(rank);
  network.run_for(1s);
  for (Rank rank = 0; rank < 3; ++rank)
    EXPECT_FALSE(network[rank].failure()) << network[rank].failure()->message;
}

TEST(FrozenRanks, that_all_slept_begin_the_end) {
  ScriptedNetwork network(3, short_patience());
  superstep(network, nothing);
  int lost = 0;
  network.lose = [&](const Passing& passing) { return passing.header.source == 0 && ++lost < 4; };
  network.begin_exchange(nothing);
  EXPECT_TRUE(network.run_until([&] { return network[0].exchange_complete(); }, 5s));
  network.sleep(20s);
  network[0].begin_finish(network.now());
  network.run_for(1s);
  EXPECT_TRUE(network.all(&Endpoint::exchange_complete)) << "rank 0 left though its last message was lost";
}

/// One rank, some, or all, for longer than the limit or not, at any phase.
TEST(FrozenRanks, end_the_job_only_if_others_run_on_for_longer_than_the_limit) {
  for (int seed = 0; seed < 40; ++seed) {
    SimulationConfig config;
    config.size = 4;
    config.options = short_patience();
    config.options.rate = megabits_per_second(20);
    config.wan.round_trip_time = 20ms;
    config.wan.loss = 0.1;
    config.seed = static_cast<std::uint64_t>(seed);
    const bool all = seed % 4 == 3;
    const Duration length = seed % 2 == 0 ? 3s : 12s;
    const Duration begin = std::chrono::milliseconds{seed * 7};
    for (Rank rank = 0; rank <= (all ? 3 : seed % 3); ++rank)
      config.faults.freezes.push_back({rank, begin, begin + length});
    SimulatedNetwork network(config);
    const auto run = [&] {
      for (int i = 0; i < 8; ++i)
        run_superstep(network, messages(4, 20'000), 60s);
      run_finish(network, 60s);
    };
    if (all || length < 5s) {
      EXPECT_NO_THROW(run()) << "seed " << seed;
    } else {
      EXPECT_THROW(run(), PeerLost) << "seed " << seed;
    }
    EXPECT_LT(network.now(), Instant{30s}) << "seed " << seed;
  }
}

/// What was on its way when all stopped has taken no longer than else.
TEST(FrozenRanks, that_all_slept_are_as_fast_as_before_at_once) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SimulationConfig config;
    config.size = 4;
    config.options.rate = megabits_per_second(20);
    config.wan.round_trip_time = 40ms;
    config.wan.loss = 0.05;
    config.seed = seed;
    constexpr Duration sleep = 3s;
    const Duration begin = 1s + seed * 17ms;
    config.faults.freezes.push_back({FaultPlan::every, begin, begin + sleep});
    SimulatedNetwork network(config);
    const auto superstep_takes = [&] {
      const Instant now = network.now();
      run_superstep(network, messages(4, 100'000), 60s);
      return network.now() - now;
    };
    Duration usual{0};
    Duration takes{0};
    for (takes = superstep_takes(); takes < sleep; takes = superstep_takes())
      usual = std::max(usual, takes);
    EXPECT_LT(takes, sleep + 2 * usual) << "seed " << seed;
    for (int after = 0; after < 3; ++after)
      EXPECT_LT(superstep_takes(), 2 * usual) << "seed " << seed;
  }
}

}  // namespace
}  // namespace lbsp::transport::testing
