#include <algorithm>
#include <gtest/gtest.h>

#include "ending_run.hpp"
#include "tests/transport/room_state.hpp"
#include "tests/transport/scripted_superstep.hpp"
#include "transport/impairment/random.hpp"

/// The orderly end: short where nothing is lost, safe where much is, and bounded whatever happens.
namespace lbsp::transport::testing {
namespace {

void finish(ScriptedNetwork& network, Rank rank) {
  network[rank].begin_finish(network.now());
  network.flush(rank);
}

bool finished(ScriptedNetwork& network, Duration limit) {
  return network.run_until([&] { return network.all(&Endpoint::finished); }, limit);
}

TEST(Farewell, without_loss_takes_a_round_trip_after_the_last_rank_is_done) {
  ScriptedNetwork network(4, {});
  for (int i = 0; i < 5; ++i)
    superstep(network, nothing);
  for (Rank rank = 0; rank < 4; ++rank) {
    network.run_for(37ms);
    finish(network, rank);
  }
  const Instant begin = network.now();
  EXPECT_TRUE(finished(network, 1s));
  EXPECT_LE(network.now() - begin, 21ms);
}

TEST(Farewell, does_not_wait_for_a_program_that_computes_after_its_last_superstep) {
  ScriptedNetwork network(3, {});
  superstep(network, nothing);
  const Instant begin = network.now();
  finish(network, 0);
  finish(network, 1);
  EXPECT_TRUE(network.run_until([&] { return network[0].finished() && network[1].finished(); }, 1s));
  EXPECT_LE(network.now() - begin, 40ms);
  network.cut_off(0);
  network.cut_off(1);
  network.run_for(1h);
  EXPECT_FALSE(network[2].failure()) << network[2].failure()->message;
  finish(network, 2);
  EXPECT_TRUE(network.run_until([&] { return network[2].finished(); }, 6ms))
      << "all have told it that they need nothing";
}

TEST(Farewell, survives_the_outage_that_the_middle_survives) {
  for (const Duration outage : {Duration{300ms}, Duration{2300ms}, Duration{9s}, Duration{14s}}) {
    ScriptedNetwork network(3, {});
    superstep(network, nothing);
    const Instant begin = network.now();
    network.lose = [&](const Passing& passing) {
      return network.now() < begin + outage && (passing.header.source == 0 || network.now() > begin);
    };
    // Rank 0's last message to the others is lost, and all that follows, while it has all of theirs.
    network.begin_exchange(nothing);
    EXPECT_TRUE(network.run_until([&] { return network[0].exchange_complete(); }, 1s));
    finish(network, 0);
    EXPECT_TRUE(network.run_exchange(16s)) << "without rank 0's last message after " << milliseconds(outage);
    finish(network, 1);
    finish(network, 2);
    EXPECT_TRUE(finished(network, 16s));
    for (Rank rank = 0; rank < 3; ++rank)
      EXPECT_FALSE(network[rank].failure());
    EXPECT_LE(network.now() - begin, outage + 5s);
  }
}

TEST(Farewell, who_said_fin_and_is_awaited_all_the_same_is_not_waited_for_for_ever) {
  ScriptedNetwork network(2, {});
  superstep(network, nothing);
  finish(network, 0);
  network.begin_exchange(1, nothing);
  EXPECT_TRUE(network.run_until([&] { return network[0].finished(); }, 5s));
  network.cut_off(0);
  EXPECT_TRUE(network.run_until([&] { return network[1].failure().has_value(); }, 20s));
}

TEST(Farewell, a_message_to_who_has_said_fin_keeps_nobody_waiting) {
  ScriptedNetwork network(2, {});
  superstep(network, nothing);
  finish(network, 0);
  ASSERT_TRUE(network.run_until([&] { return network[0].finished(); }, 5s));
  network.cut_off(0);
  network[1].begin_reply(std::vector<Bytes>(2, Bytes(100)), {0}, {}, network.now());
  network.flush(1);
  finish(network, 1);
  EXPECT_TRUE(network.run_until([&] { return network[1].finished() || network[1].failure(); }, 20s));
}

TEST(Farewell, to_a_peer_that_is_not_heard_is_said_ever_more_seldom) {
  ScriptedNetwork network(2, {});
  superstep(network, nothing);
  network.run_for(1s);
  network.cut_off(1);
  finish(network, 0);
  network.run_for(10s);
  EXPECT_GE(network.sent(DatagramKind::fin), 11) << "the first again after one probe timeout";
  EXPECT_LE(network.sent(DatagramKind::fin), 16) << "within a second, of 20 or 50 probe timeouts";
  EXPECT_TRUE(network[0].finished());
}

TEST(Farewell, with_a_way_back_that_dies_every_run_comes_to_an_end) {
  Random random(1);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SimulationConfig config = lossy_job(seed, seed % 3 == 0 ? 0.15 : 0);
    config.options.peer_timeout = 5s;
    config.faults.outages.push_back(
        {1, seed % 2 == 0 ? 0 : FaultPlan::every, std::chrono::milliseconds{random.below(250)}, 1h});
    const Ending ending = run_to_the_end(config, 30s);
    ASSERT_TRUE(ending.over) << "seed " << seed;
    EXPECT_LE(ending.last_left, 15s) << "seed " << seed;
  }
}

TEST(Farewell, nobody_fails_or_lingers_because_farewells_are_lost) {
  std::vector<Duration> lingering;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Ending ending = run_to_the_end(lossy_job(seed, 0.15), 1min);
    ASSERT_TRUE(ending.over) << "seed " << seed;
    EXPECT_EQ(ending.failures, 0) << "seed " << seed;
    lingering.push_back(ending.last_left - ending.last_complete);
  }
  std::ranges::sort(lingering);
  EXPECT_LE(lingering[500], 150ms);
  EXPECT_LE(lingering[990], 1s);
  EXPECT_LE(lingering.back(), 5s);
}

/// With twelve FINs at the most, one of thirty jobs stood for the limit of silence.
TEST(Farewell, hardly_anybody_lingers_where_most_farewells_are_lost) {
  int lingered = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SimulationConfig config = lossy_job(seed, 0.6);
    config.size = 6;
    const Ending ending = run_to_the_end(config, 2min, true);
    ASSERT_TRUE(ending.over) << "seed " << seed;
    EXPECT_EQ(ending.failures, 0) << "seed " << seed;
    if (ending.last_left - ending.last_complete > 5s) ++lingered;
  }
  EXPECT_LE(lingered, 2);
}

/// Of sixteen ranks that lost 30 %, one or more stood for the limit of silence in each of 25 jobs: heavy loss was in
/// doubt when they ended, so two or three FINs seemed enough.
TEST(Farewell, is_said_as_often_as_loss_has_it_that_is_in_doubt) {
  const auto said = [](bool doubted) {
    RoomState<ReceiverDriven> rooms;
    Peer& other = rooms.other;
    other.outbound.next_packet = other.echoed.packets = 1000;
    constexpr std::uint16_t three_tenths = UINT16_MAX * 3 / 10;
    other.path.loss = {.loss = three_tenths, .loss_after_loss = three_tenths};
    if (doubted) other.path.loss_at_bound.begin(1000, 800);
    rooms.farewell.begin_in_last_leg(start);
    rooms.farewell.heard(1, false, start);
    for (Instant now = start; now < start + 1s; now += 1ms)
      rooms.farewell.update(1, now);
    return rooms.fins.size();
  };
  EXPECT_GE(said(false), 10U);
  EXPECT_EQ(said(true), said(false));
}

/// A burst that takes all of a rank's FINs leaves the peer alone.
TEST(Farewell, nobody_lingers_for_long_where_losses_come_in_bursts) {
  for (const auto& [loss, burst] : {std::pair{0.05, 4.0}, std::pair{0.1, 3.0}}) {
    std::vector<Duration> lingering;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      SimulationConfig config = lossy_job(seed, loss);
      config.wan.burst = burst;
      const Ending ending = run_to_the_end(config, 1min);
      ASSERT_TRUE(ending.over) << "seed " << seed;
      EXPECT_EQ(ending.failures, 0) << "seed " << seed;
      lingering.push_back(ending.last_left - ending.last_complete);
    }
    std::ranges::sort(lingering);
    EXPECT_LE(lingering[150], 60ms);
    EXPECT_LE(lingering[270], 1s) << "loss " << loss << " in bursts of " << burst;
    EXPECT_LE(lingering[297], 2s) << "loss " << loss << " in bursts of " << burst;
  }
}

/// The launcher's word of who has left (tools/launch/members/departures.hpp). Without it, 3 to 9 of a hundred jobs
/// stood for the limit of silence: a run took all that a rank said between the peer's last message and its leave.
TEST(Farewell, who_hears_from_outside_that_a_peer_has_left_does_not_wait_for_it) {
  struct Case {
    double loss;
    double burst;
    Duration round_trip;
  };
  for (const Case& path : {Case{0.1, 4, 70ms}, Case{0.3, 5, 20ms}, Case{0.3, 20, 5ms}, Case{0.6, 20, 20ms}}) {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      EndingJob job{.config = lossy_job(seed, path.loss), .says_last = true, .bytes = 20, .told = 300ms};
      job.config.size = seed % 2 == 0 ? 2 : 3;
      job.config.wan.burst = path.burst;
      job.config.wan.round_trip_time = path.round_trip;
      const Ending ending = EndingRun(job).run(2min);
      ASSERT_TRUE(ending.over) << "seed " << seed;
      EXPECT_EQ(ending.failures, 0) << "seed " << seed;
      EXPECT_LE(ending.lingering(), 1s)
          << "loss " << path.loss << ", runs of " << path.burst << ", seed " << seed;
    }
  }
}

TEST(Farewell, a_peer_that_is_said_to_have_left_is_awaited_no_more_and_told_nothing) {
  ScriptedNetwork network(2, {});
  superstep(network, nothing);
  network.begin_exchange(nothing);
  ASSERT_TRUE(network.run_exchange());
  network.cut_off(0);
  finish(network, 1);
  network.run_for(500ms);
  ASSERT_FALSE(network[1].finished());
  network[1].take_departure(0, network.now());
  EXPECT_TRUE(network[1].finished());
  const int said = network.sent(DatagramKind::fin);
  network.run_for(20s);
  EXPECT_EQ(network.sent(DatagramKind::fin), said);
  EXPECT_FALSE(network[1].failure());
}

/// As after its FIN.
TEST(Farewell, a_peer_that_is_said_to_have_left_while_this_program_computes_is_no_loss) {
  ScriptedNetwork network(2, {});
  superstep(network, nothing);
  network.cut_off(0);
  network[1].take_departure(0, network.now());
  network.run_for(1h);
  EXPECT_FALSE(network[1].failure());
  finish(network, 1);
  EXPECT_TRUE(network[1].finished());
}

TEST(Farewell, whose_message_is_awaited_is_missed_though_it_is_said_to_have_left) {
  ScriptedNetwork network(2, {});
  superstep(network, nothing);
  network.cut_off(0);
  network.begin_exchange(1, nothing);
  network[1].take_departure(0, network.now());
  EXPECT_TRUE(network.run_until([&] { return network[1].failure().has_value(); }, 20s));
}

TEST(Farewell, a_departure_of_no_rank_or_of_this_one_is_ignored) {
  ScriptedNetwork network(2, {});
  superstep(network, nothing);
  for (const Rank rank : {-1, 1, 2})
    network[1].take_departure(rank, network.now());
  EXPECT_FALSE(network[1].heard_farewell());
}

TEST(Farewell, of_many_ranks_costs_each_a_few_datagrams_a_peer) {
  SimulationConfig config = lossy_job(1, 0);
  config.size = 48;
  const Ending ending = run_to_the_end(config, 1min);
  EXPECT_TRUE(ending.over);
  EXPECT_LE(ending.last_left - ending.last_complete, 75ms);
}

}  // namespace
}  // namespace lbsp::transport::testing
