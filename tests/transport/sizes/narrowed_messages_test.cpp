#include <gtest/gtest.h>

#include "tests/transport/scripted_superstep.hpp"
#include "transport/impairment/random.hpp"
#include "transport/simulated/superstep.hpp"

/// Paths that carry less than a datagram: the messages are cut anew and arrive, whoever finds it out.
namespace lbsp::transport::testing {
namespace {

Bytes large(Rank from, Rank to) {
  return patterned(from, to, 100'000);
}

std::vector<std::vector<Bytes>> messages(const std::function<Bytes(Rank, Rank)>& message, Rank size) {
  std::vector<std::vector<Bytes>> outgoing(static_cast<std::size_t>(size));
  for (Rank from = 0; from < size; ++from) {
    for (Rank to = 0; to < size; ++to)
      outgoing[static_cast<std::size_t>(from)].push_back(message(from, to));
  }
  return outgoing;
}

TEST(NarrowPath, messages_are_cut_anew_where_large_datagrams_vanish) {
  for (const std::size_t passes : {1392u, 1300u, 1232u, 700u, 548u}) {
    ScriptedNetwork network(3, {});
    network.lose = [&](const Passing& passing) { return passing.bytes > passes; };
    const Duration first = superstep(network, large);
    EXPECT_LT(milliseconds(first), passes < 1232 ? 3000 : 1500) << passes;
    EXPECT_LT(milliseconds(superstep(network, large)), 25) << "the size is known";
  }
}

TEST(NarrowPath, in_the_middle_of_a_message_it_is_begun_again) {
  for (const bool one_way : {false, true}) {
    ScriptedNetwork network(2, {});
    superstep(network, large);
    int whole = 0;
    network.lose = [&](const Passing& passing) {
      const bool narrow = !one_way || passing.header.source == 0;
      return narrow && passing.bytes > 1300 && ++whole > 40;
    };
    EXPECT_LT(milliseconds(superstep(network, large)), 1500);
    EXPECT_LT(milliseconds(superstep(network, large)), 50);
  }
}

TEST(NarrowPath, is_found_out_though_the_system_still_takes_what_is_lost_on_the_way) {
  ExchangeOptions options;
  options.find_datagram = true;
  options.datagram_bytes = 1472;
  options.rate = megabits_per_second(100);
  ScriptedNetwork network(2, options, 5ms);
  const auto message = [](Rank from, Rank to) { return patterned(from, to, 2104); };
  for (int i = 0; i < 3; ++i)
    superstep(network, message);
  const Instant begin = network.now();
  const Instant narrows = begin + 2942us;
  network.lose = [&](const Passing& passing) { return network.now() >= narrows && passing.bytes > 1252; };
  const auto complete = [&] { return network[0].exchange_complete() && network[1].exchange_complete(); };
  for (int i = 0; i < 3; ++i) {
    network.begin_exchange(0, message);
    network.run_for(1500us);
    network.begin_exchange(1, message);
    while (!complete() && network.now() < begin + 2s) {
      network.run_for(1ms);
      // As the driver does, the system is asked about the path of each rank that is in doubt.
      for (const Rank rank : {0, 1})
        for (const Rank doubtful : network[rank].routes().take_doubtful())
          network[rank].routes().lower(doubtful, 1472, network.now());
    }
    ASSERT_TRUE(complete()) << i;
    network[0].take_messages();
    network[1].take_messages();
  }
}

TEST(NarrowPath, a_rank_that_cannot_hear_how_large_its_own_datagrams_are_still_sends) {
  // One segment a message, none of which passes, and a peer whose program computes meanwhile.
  ScriptedNetwork network(2, {});
  superstep(network, nothing);
  network.lose = [](const Passing& passing) { return passing.bytes > 1300; };
  const auto message = [](Rank from, Rank to) { return patterned(from, to, 1354); };
  network.begin_exchange(0, message);
  network.run_for(60s);
  network.begin_exchange(1, message);
  EXPECT_TRUE(network.run_exchange());
  EXPECT_EQ(network[0].take_messages()[1], message(1, 0));
  EXPECT_EQ(network[1].take_messages()[0], message(0, 1));
}

TEST(NarrowPath, two_ranks_between_which_no_data_passes_do_not_chatter) {
  ScriptedNetwork network(2, {});
  superstep(network, nothing);
  int reports = 0;
  network.lose = [&](const Passing& passing) {
    reports += passing.header.kind == DatagramKind::status ? 1 : 0;
    return passing.header.kind == DatagramKind::data || passing.header.kind == DatagramKind::coded;
  };
  for (const Rank rank : {0, 1})
    network.begin_exchange(rank, large);
  network.run_for(10s);  // in which each sends all of it once
  reports = 0;
  network.run_for(10s);
  EXPECT_LT(reports, 2 * 10 * 5) << "five a second each";
}

TEST(NarrowPath, is_detected_within_a_peer_timeout_of_two_seconds) {
  ExchangeOptions options;
  options.peer_timeout = 2s;
  ScriptedNetwork network(4, options, 35ms);
  network.lose = [](const Passing& passing) { return passing.bytes > 1300; };
  superstep(network, large);
}

TEST(NarrowPath, what_the_system_says_is_acted_upon_at_once) {
  SimulationConfig config;
  config.size = 3;
  config.wan.round_trip_time = 20ms;
  config.wan.loss = 0.05;
  config.faults.narrowings.push_back({0, FaultPlan::every, 0ms, 1392, true});
  config.faults.narrowings.push_back({1, 2, 30ms, 900, true});
  SimulatedNetwork network(config);
  const auto check = [&](std::size_t bytes) {
    const auto message = [&](Rank from, Rank to) { return patterned(from, to, bytes); };
    const auto outcome = run_superstep(network, messages(message, 3), 2s);
    for (Rank to = 0; to < 3; ++to) {
      for (Rank from = 0; from < 3; ++from) {
        if (from == to) continue;
        EXPECT_EQ(outcome.received[static_cast<std::size_t>(to)][static_cast<std::size_t>(from)],
                  message(from, to));
      }
    }
  };
  for (int i = 0; i < 5; ++i)
    check(300'000);
  run_finish(network, 2s);
}

/// Coded redundancy, copies, loss and bursts beside a path that narrows in mid-run, once or twice.
TEST(NarrowPath, with_every_redundancy_and_loss_every_byte_arrives) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    SimulationConfig config;
    config.size = static_cast<Rank>(2 + random.below(3));
    config.seed = seed;
    config.options.copies = static_cast<int>(1 + random.below(3));
    config.options.datagram_bytes = random.below(4) == 0 ? 8972 : 1400;
    config.options.rate = megabits_per_second(50);
    config.wan.round_trip_time = std::chrono::milliseconds{random.below(80)};
    config.wan.loss = 0.3 * random.unit();
    config.wan.burst = 1 + 4 * random.unit();
    config.wan.reorder = 0.05 * random.unit();
    config.wan.duplicate = 0.1 * random.unit();
    if (seed % 2 == 0) {
      struct Coded final : RedundancyPlanner {
        LegForecast plan(const LegOutline&, std::span<MessagePlan> plans) override {
          for (MessagePlan& plan : plans)
            plan = {1, 12, 3, true};
          return {};
        }
        int repairs_for(int lacking, int, const PathForecast&) const override { return lacking + 1; }
      };
      config.planner = [](Rank) { return std::make_unique<Coded>(); };
    }
    const Duration begin = std::chrono::milliseconds{random.below(300)};
    const Rank from = random.below(2) == 0 ? FaultPlan::every : 0;
    config.faults.narrowings.push_back({from, FaultPlan::every, begin, 1240 + random.below(150), false});
    if (random.below(2) == 0)
      config.faults.narrowings.push_back({FaultPlan::every, 0, begin + 2s, 560, false});
    SimulatedNetwork network(config);
    for (std::uint32_t step = 0; step < 6; ++step) {
      const auto message = [&](Rank source, Rank to) {
        return patterned(source, to, step == 3 ? 500 : 60'000, step);
      };
      const auto outcome = run_superstep(network, messages(message, config.size), 30s);
      for (Rank to = 0; to < config.size; ++to) {
        for (Rank source = 0; source < config.size; ++source) {
          if (source == to) continue;
          ASSERT_EQ(outcome.received[static_cast<std::size_t>(to)][static_cast<std::size_t>(source)],
                    message(source, to))
              << "seed " << seed << " superstep " << step;
        }
      }
    }
    run_finish(network, 60s);
  }
}

/// What random loss and bursts alone do must not pass for a narrow path: nothing is ever cut anew.
TEST(NarrowPath, loss_and_bursts_are_none) {
  std::uint64_t small = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SimulationConfig config;
    config.size = 3;
    config.seed = seed;
    config.options.rate = megabits_per_second(100);
    config.wan.round_trip_time = 30ms;
    config.wan.jitter = 3ms;
    config.wan.loss = seed % 2 == 0 ? 0.3 : 0.15;
    config.wan.burst = 1 + static_cast<double>(seed % 3) * 4;
    config.faults.outages.push_back({FaultPlan::every, FaultPlan::every, 200ms, 200ms + seed * 50ms});
    SimulatedNetwork network(config);
    for (int step = 0; step < 60; ++step) {
      const auto message = [&](Rank from, Rank to) {
        return patterned(from, to, step % 3 == 0 ? 1354 : 4044);
      };
      run_superstep(network, messages(message, 3), 60s);
    }
    for (Rank rank = 0; rank < 3; ++rank) {
      for (Rank to = 0; to < 3; ++to)
        small += rank != to && network.endpoint(rank).routes().datagram_bytes(to) < 1400 ? 1u : 0u;
    }
  }
  EXPECT_EQ(small, 0u);
}

}  // namespace
}  // namespace lbsp::transport::testing
