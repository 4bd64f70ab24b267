#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "tests/lbsp/plan/planned_job.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// Hosts whose links differ, of which a profile has told.
namespace lbsp::plan {
namespace {

using transport::start;
using namespace std::chrono_literals;
using namespace transport;

/// Rank 0 has an uplink of 50 Mbit/s, rank 3 a downlink of 2; the other links carry 50.
SimulationConfig one_slow_downlink() {
  SimulationConfig config = planned_job(4, "rtt=40ms", 50);
  for (Rank host = 0; host < config.size; ++host) {
    const auto link = [](double megabits) {
      return std::make_shared<Bottleneck>(BottleneckSpec{megabits_per_second(megabits), 64 << 10});
    };
    config.topology.hosts.push_back({1, link(50), link(host == 3 ? 2 : 50)});
  }
  return config;
}

std::vector<PathForecast> priors(double megabits_to_last) {
  std::vector<PathForecast> paths(4, {.loss_sample = 500,
                                      .round_trip = 40ms,
                                      .round_trip_variation = 1ms,
                                      .bandwidth = megabits_per_second(50)});
  paths[3].bandwidth = megabits_per_second(megabits_to_last);
  return paths;
}

/// Seconds of the first superstep, in which rank 0 alone sends so much to each.
double first_superstep(const SimulationConfig& config, std::size_t bytes) {
  RunningJob job(config, [=](Rank from, Rank) { return from == 0 ? bytes : 0; });
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= 1; }, start + 60s);
  return job.mean_seconds(0);
}

/// 250 kB take a second on 2 Mbit/s, and half a round trip.
TEST(ProfiledRates, a_slow_path_gets_no_more_than_the_profile_says_from_the_first_superstep_on) {
  SimulationConfig config = one_slow_downlink();
  config.priors = priors(2);
  EXPECT_LT(first_superstep(config, 250'000), 1.1 * 1.02);
  EXPECT_EQ(config.topology.hosts[3].downlink->drops(), 0U);
}

/// Of the same without that word, most is dropped at first.
TEST(ProfiledRates, a_slow_path_that_is_not_known_is_flooded) {
  SimulationConfig config = one_slow_downlink();
  config.priors = priors(50);
  first_superstep(config, 250'000);
  EXPECT_GT(config.topology.hosts[3].downlink->drops(), 20U);
}

/// A path that is a little slower is no other path: what is measured of paths that are alike differs.
TEST(ProfiledRates, paths_that_seem_a_little_slower_are_not_paced) {
  SimulationConfig config = one_slow_downlink();
  config.topology.hosts[3].downlink = config.topology.hosts[2].uplink;
  config.priors = priors(45);
  const double known = first_superstep(config, 1'000'000);
  EXPECT_LT(known, 1.05 * (3 * 8e6 / 50e6 + 0.02));
}

/// Each host sends as fast as its own link allows, whatever the others' do.
TEST(ProfiledRates, a_fast_host_does_not_wait_for_what_a_slow_one_may_send) {
  SimulationConfig config = one_slow_downlink();
  config.topology.hosts[3].downlink = config.topology.hosts[2].downlink;
  config.topology.hosts[3].uplink =
      std::make_shared<Bottleneck>(BottleneckSpec{megabits_per_second(2), 64 << 10});
  config.priors = priors(50);
  config.rates = {megabits_per_second(50), megabits_per_second(50), megabits_per_second(50),
                  megabits_per_second(2)};
  EXPECT_LT(first_superstep(config, 1'000'000), 1.05 * (3 * 8e6 / 50e6 + 0.02));
}

}  // namespace
}  // namespace lbsp::plan
