#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "gtest/gtest.h"

#include "lbsp/plan/model_planner.hpp"
#include "model/superstep/calibrated_forecast.hpp"
#include "transport/simulated/superstep.hpp"

namespace lbsp {
namespace {

using namespace std::chrono_literals;
using model::superstep::CalibratedForecast;
using model::superstep::Spread;
using transport::Duration;
using transport::SimulatedNetwork;

transport::SimulationConfig intervals_network() {
  transport::SimulationConfig config;
  config.size = 4;
  config.options.rate = transport::megabits_per_second(100);
  config.wan.loss = 0.1;
  config.wan.round_trip_time = 20ms;
  config.planner = [options = config.options](Rank) { return std::make_unique<plan::ModelPlanner>(options); };
  return config;
}

/// Seconds of a superstep in which every rank sends every other so many bytes, and nothing is under way before it.
double interval_superstep(SimulatedNetwork& network, std::size_t bytes) {
  network.run_until([] { return false; }, network.now() + 150ms);
  const auto ranks = static_cast<std::size_t>(network.size());
  const std::vector<std::vector<Bytes>> outgoing(ranks, std::vector<Bytes>(ranks, Bytes(bytes)));
  const transport::Instant begin = network.now();
  const auto outcome = run_superstep(network, outgoing);
  return transport::seconds(*std::ranges::max_element(outcome.completed) - begin);
}

/// The longest of the ranks'.
transport::Forecast longest_forecast(SimulatedNetwork& network) {
  transport::Forecast out;
  for (Rank rank = 0; rank < network.size(); ++rank)
    out = std::max(out, network.endpoint(rank).forecast(),
                   [](const auto& a, const auto& b) { return a.duration < b.duration; });
  return out;
}

TEST(ForecastInterval, holds_nine_of_ten_simulated_supersteps) {
  constexpr int supersteps = 1000;
  SimulatedNetwork network(intervals_network());
  for (int i = 0; i < 20; ++i)
    interval_superstep(network, 0);
  CalibratedForecast forecasts;
  int by_plan = 0;
  int calibrated = 0;
  for (int i = 0; i < supersteps; ++i) {
    const double took = interval_superstep(network, 10'000);
    const transport::Forecast forecast = longest_forecast(network);
    const double mean = transport::seconds(forecast.duration);
    const Spread predicted{mean, 0, mean - transport::seconds(forecast.earlier),
                           mean + transport::seconds(forecast.later)};
    ASSERT_GT(predicted.to, predicted.mean);
    const Spread spread = forecasts.of(predicted);
    by_plan += took >= predicted.from && took <= predicted.to;
    calibrated += took >= spread.from && took <= spread.to;
    forecasts.learn(predicted, took);
  }
  RecordProperty("within", calibrated);
  RecordProperty("within_by_plan", by_plan);
  EXPECT_NEAR(calibrated, 900, 20);
  EXPECT_NEAR(by_plan, 900, 60) << "by the plan alone";
}

}  // namespace
}  // namespace lbsp
