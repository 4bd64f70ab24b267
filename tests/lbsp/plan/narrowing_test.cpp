#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "lbsp/plan/model_planner.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// A path carries shorter datagrams from the middle of a job on, and nobody says so.
namespace lbsp::plan {
namespace {

using transport::start;
using namespace std::chrono_literals;
using namespace transport;

constexpr double seconds_of_round_trip = 0.04;  // seconds
constexpr std::size_t affected = 6;             // supersteps

/// Round trips by which the superstep in which the path becomes narrow, and those after it, take longer than those
/// before.
double lost_round_trips(const SimulationConfig& config, std::size_t bytes) {
  RunningJob job(config, [=](Rank, Rank) { return bytes; });
  SharedTime time;
  time.add(job);
  const Instant narrows = start + config.faults.narrowings.front().begin;
  time.run_until([&] { return job.network().now() >= narrows; }, start + 10s);
  const std::size_t first = job.supersteps();
  time.run_until([&] { return job.supersteps() >= first + affected; }, start + 100s);
  double lost = 0;
  for (std::size_t superstep = first; superstep < first + affected; ++superstep)
    lost += std::max(0.0, job.seconds(superstep) - job.seconds(first - 2));
  return lost / seconds_of_round_trip;
}

/// In the mean of the times at which it becomes narrow.
double mean_lost(bool told, double loss, std::size_t narrow_bytes, std::size_t bytes, bool heard = false) {
  constexpr std::uint64_t times = 4;
  double sum = 0;
  for (std::uint64_t i = 0; i < times; ++i) {
    SimulationConfig config;
    config.size = 2;
    config.seed = i + 1;
    config.wan = parse_wan_spec("rtt=40ms,rate=100Mbit");
    config.wan.loss = loss;
    config.options.rate = megabits_per_second(100);
    config.options.find_rate = !told;
    config.options.find_datagram = true;
    config.options.datagram_bytes = 1472;
    config.planner = [](Rank) {
      return std::make_unique<ModelPlanner>(ExchangeOptions{.redundancy = Redundancy::automatic});
    };
    config.faults.narrowings.push_back({.begin = 1500ms + i * 74ms, .bytes = narrow_bytes, .heard = heard});
    sum += lost_round_trips(config, bytes);
  }
  return sum / static_cast<double>(times);
}

/// All that was too long is lost, which says nothing of the rate: it fell to a tenth, and rose again within seconds.
TEST(Narrowing, of_a_path_in_a_long_message_costs_no_rate) {
  for (const bool told : {true, false}) {
    for (const std::size_t narrow_bytes : {1000U, 1372U}) {
      EXPECT_LT(mean_lost(told, 0, narrow_bytes, 1 << 20), 6) << told << ' ' << narrow_bytes;
      EXPECT_LT(mean_lost(told, 0.05, narrow_bytes, 1 << 20), 7) << told << ' ' << narrow_bytes;
    }
  }
}

TEST(Narrowing, of_a_path_between_short_messages_costs_some_round_trips) {
  for (const double loss : {0.0, 0.05}) {
    EXPECT_LT(mean_lost(true, loss, 1000, 16 << 10), 4) << loss;
    EXPECT_LT(mean_lost(true, loss, 1000, 64 << 10), 8) << loss;
  }
}

/// The same where the system has been asked and what was too long is still on its way: it fell to a tenth.
TEST(Narrowing, of_a_path_in_a_long_message_costs_no_rate_where_a_router_has_told_of_it) {
  for (const bool told : {true, false}) {
    for (const double loss : {0.0, 0.05})
      EXPECT_LT(mean_lost(told, loss, 1252, 1 << 20, true), 6) << told << ' ' << loss;
  }
}

/// The system is asked before anything short has arrived after six long ones.
TEST(Narrowing, that_a_router_has_told_of_costs_short_messages_two_probes) {
  for (const std::size_t bytes : {700U, 1200U, 2000U, 4000U})
    EXPECT_LT(mean_lost(true, 0, 548, bytes, true), 4) << bytes;
}

}  // namespace
}  // namespace lbsp::plan
