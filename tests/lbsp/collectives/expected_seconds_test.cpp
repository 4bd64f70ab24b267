// The time that a collective is expected to take, beside that of its messages in the simulated network.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "gtest/gtest.h"

#include "lbsp/collectives/choice.hpp"
#include "lbsp/plan/model_planner.hpp"
#include "transport/simulated/superstep.hpp"

namespace lbsp {
namespace {

using namespace std::chrono_literals;
using Messages = std::vector<std::vector<Bytes>>;

constexpr Rank ranks = 8;
constexpr std::uint64_t part_bytes = std::uint64_t{1} << 17;

Messages nothing() {
  return Messages(ranks, std::vector<Bytes>(ranks));
}

/// Rank 0 sends a part to each other rank, and these theirs to all.
std::vector<Messages> two_phases() {
  std::vector<Messages> supersteps(2, nothing());
  for (std::size_t from = 0; from < ranks; ++from) {
    for (std::size_t to = 0; to < ranks; ++to) {
      if (from == to) continue;
      supersteps[1][from][to] = Bytes(part_bytes);
      if (from == 0) supersteps[0][from][to] = Bytes(part_bytes);
    }
  }
  return supersteps;
}

/// Halves go to ranks half as far away each time, then the parts go round a ring.
std::vector<Messages> halves_and_ring() {
  std::vector<Messages> supersteps;
  for (std::size_t away = ranks / 2; away > 0; away /= 2) {
    supersteps.push_back(nothing());
    for (std::size_t from = 0; from < ranks; from += 2 * away)
      supersteps.back()[from][from + away] = Bytes(away * part_bytes);
  }
  for (Rank step = 1; step < ranks; ++step) {
    supersteps.push_back(nothing());
    for (std::size_t from = 0; from < ranks; ++from)
      supersteps.back()[from][(from + 1) % ranks] = Bytes(part_bytes);
  }
  return supersteps;
}

/// The mean of several times after idle time.
double simulated_seconds(const std::vector<Messages>& supersteps, const CollectiveNetwork& path) {
  constexpr int times = 10;
  transport::SimulationConfig config;
  config.size = ranks;
  config.options.redundancy = transport::Redundancy::automatic;
  config.options.rate.value = path.bytes_per_second;
  config.wan.loss = path.loss;
  config.wan.round_trip_time =
      std::chrono::duration_cast<transport::Duration>(Seconds(path.round_trip_seconds));
  config.planner = [options = config.options](Rank) { return std::make_unique<plan::ModelPlanner>(options); };
  transport::SimulatedNetwork network(config);
  double sum = 0;
  for (int time = -2; time < times; ++time) {
    network.run_until([] { return false; }, network.now() + 300ms);
    const transport::Instant begin = network.now();
    for (const Messages& messages : supersteps)
      run_superstep(network, messages);
    if (time >= 0) sum += transport::seconds(network.now() - begin);
  }
  return sum / times;
}

TEST(ExpectedSeconds, count_the_burst_after_idle_time_once_for_supersteps_without_any_between) {
  const CollectiveNetwork path{.loss = 0, .round_trip_seconds = 1e-4};
  const auto expected = [&](Broadcast how) {
    return expected_seconds(outline(how, ranks * part_bytes, ranks), ranks, path);
  };
  const double two = simulated_seconds(two_phases(), path);
  const double ten = simulated_seconds(halves_and_ring(), path);
  EXPECT_NEAR(expected(Broadcast::two_phase) / two, 1, 0.02);
  EXPECT_NEAR(expected(Broadcast::van_de_geijn) / ten, 1, 0.01);
}

}  // namespace
}  // namespace lbsp
