#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "lbsp/plan/model_planner.hpp"
#include "transport/simulated/superstep.hpp"

namespace lbsp {
namespace {

using namespace std::chrono_literals;
using transport::SimulatedNetwork;

/// Messages of each rank to those next to it; the others get empty ones, as of a grid in strips.
std::vector<std::vector<Bytes>> strips(Rank ranks, std::size_t bytes) {
  const auto count = static_cast<std::size_t>(ranks);
  std::vector<std::vector<Bytes>> out(count, std::vector<Bytes>(count));
  for (std::size_t rank = 1; rank < count; ++rank)
    out[rank][rank - 1] = out[rank - 1][rank] = Bytes(bytes);
  return out;
}

TEST(MixedLengths, long_messages_do_not_hold_up_the_forecast_of_empty_ones) {
  constexpr int supersteps = 150;
  transport::SimulationConfig config;
  config.size = 8;
  config.options.redundancy = transport::Redundancy::automatic;
  config.options.rate = transport::megabits_per_second(20);
  config.wan.loss = 0.1;
  config.wan.round_trip_time = 70ms;
  config.planner = [options = config.options](Rank) { return std::make_unique<plan::ModelPlanner>(options); };
  SimulatedNetwork network(config);
  double measured = 0;
  double forecast = 0;
  for (int i = -20; i < supersteps; ++i) {
    network.run_until([] { return false; }, network.now() + 300ms);
    const transport::Instant begin = network.now();
    const auto outcome = run_superstep(network, strips(config.size, 16'000));
    if (i < 0) continue;
    measured += transport::seconds(*std::ranges::max_element(outcome.completed) - begin);
    double longest = 0;
    for (Rank rank = 0; rank < config.size; ++rank)
      longest = std::max(longest, transport::seconds(network.endpoint(rank).forecast().duration));
    forecast += longest;
  }
  RecordProperty("error", std::to_string(forecast / measured - 1));
  EXPECT_NEAR(forecast / measured, 1, 0.05);
}

}  // namespace
}  // namespace lbsp
