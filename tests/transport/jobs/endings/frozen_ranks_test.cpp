#include <gtest/gtest.h>

#include "tests/transport/scripted_superstep.hpp"
#include "tests/transport/start.hpp"
#include "transport/ending/liveness.hpp"
#include "transport/error.hpp"
#include "transport/recovery/paper_rounds.hpp"
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

/// Supersteps of short messages, in which one rank of four is stopped once.
struct OneSlept {
  Duration slowest_before{0};
  Duration slowest_after{0};  ///< of the five from the next on
  Duration longest_round_trip{0};
};

OneSlept one_slept(Duration sleep, std::uint64_t seed) {
  SimulationConfig config;
  config.size = 4;
  config.options.rate = megabits_per_second(20);
  config.wan.round_trip_time = 5ms;
  config.wan.loss = 0.1;
  config.seed = seed;
  const Duration begin = 3s + seed * 17ms;
  config.faults.freezes.push_back({static_cast<Rank>(seed % 4), begin, begin + sleep});
  SimulatedNetwork network(config);
  const Instant beginning = network.now();
  const auto superstep_takes = [&] {
    const Instant now = network.now();
    run_superstep(network, messages(4, 200), 60s);
    return network.now() - now;
  };
  OneSlept seen;
  for (Duration takes = superstep_takes(); takes < sleep / 2; takes = superstep_takes())
    seen.slowest_before = std::max(seen.slowest_before, takes);
  EXPECT_LT(network.now() - beginning, begin + sleep + 1s);
  for (int after = 0; after < 5; ++after)
    seen.slowest_after = std::max(seen.slowest_after, superstep_takes());
  for (Rank from = 0; from < 4; ++from)
    for (Rank to = 0; to < 4; ++to)
      if (from != to)
        seen.longest_round_trip =
            std::max(seen.longest_round_trip, network.endpoint(from).path_to(to).round_trip);
  return seen;
}

/// What the others sent meanwhile, once in a while, was no longer on its way than else, and what was on its way to the
/// one that slept neither.
TEST(FrozenRanks, one_that_slept_makes_no_round_trip_longer) {
  for (const Duration sleep : {600ms, 1200ms, 2000ms, 2800ms, 4000ms}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const OneSlept seen = one_slept(sleep, seed);
      const auto what = ::testing::Message() << "seed " << seed << ", slept " << milliseconds(sleep) << " ms";
      EXPECT_LT(seen.slowest_after, seen.slowest_before + 60ms) << what;
      EXPECT_LT(seen.longest_round_trip, 15ms) << what;
    }
  }
}

/// A clock that somebody sets says of what comes then that it has waited for an hour.
TEST(FrozenRanks, a_process_that_did_not_sleep_believes_no_clock_that_says_so) {
  EndpointConfig config;
  config.size = 2;
  EndpointState state(config, start);
  Farewell farewell(state.peers, state.alarm, 15s, [](Rank) {});
  PaperRounds recovery(state);
  Liveness liveness(state, farewell, recovery, start);
  const auto due_never = [] { return never; };
  const auto slept = [&](Instant at, Duration waited) {
    liveness.forgive_own_sleep(at, due_never);
    return liveness.with_own_sleep({at, Ecn::unknown, waited}).slept;
  };
  EXPECT_EQ(slept(start + 100ms, 1h), 0s) << "it has looked a moment ago";
  EXPECT_EQ(slept(start + 500ms, 1ms), 0s) << "it has waited for something to come";
  EXPECT_EQ(slept(start + 900ms, 300ms), 300ms);
  EXPECT_EQ(slept(start + 2900ms, 1h), 2s) << "not before it has looked last";
  EXPECT_EQ(slept(start + 2950ms, 1s), 1s) << "what it reads next";
  EXPECT_EQ(slept(start + 3000ms, 60ms), 0s) << "it has come since then";
  EXPECT_EQ(slept(start + 3240ms, 1h), 0s) << "long after it has slept";
}

}  // namespace
}  // namespace lbsp::transport::testing
