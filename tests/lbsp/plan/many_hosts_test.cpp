// Rates of many hosts that send to each other. Each meets the others' datagrams at random before every downlink.
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>

#include "tests/lbsp/plan/planned_job.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

namespace lbsp::plan {
namespace {

using namespace std::chrono_literals;
using namespace transport;

std::shared_ptr<Bottleneck> access_link() {
  return std::make_shared<Bottleneck>(BottleneckSpec{megabits_per_second(50), 125'000});
}

/// Of a superstep, once the rates have been found: the 21st to the 60th.
double seconds_of_superstep(const char* wan, bool found, std::uint64_t seed) {
  constexpr Rank hosts = 8;
  constexpr std::size_t message_bytes = 64 << 10;
  SimulationConfig config = planned_job(hosts, wan);
  config.seed = seed;
  config.options.find_rate = found;
  config.options.rate = megabits_per_second(found ? 100 : 50);
  for (Rank rank = 0; rank < hosts; ++rank)
    config.topology.hosts.push_back({1, access_link(), access_link()});
  RunningJob job(config, [](Rank, Rank) { return message_bytes; });
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= 60; }, Instant{1min});
  return job.mean_seconds(20);
}

/// Twice as fast as the links at first, as nobody has told them.
TEST(ManyHosts, need_little_more_time_with_rates_that_are_found_than_with_told_ones) {
  for (const char* wan : {"rtt=20ms,loss=1%", "rtt=40ms,loss=1%"}) {
    for (const std::uint64_t seed : {1U, 2U, 3U})
      EXPECT_LT(seconds_of_superstep(wan, true, seed), 1.09 * seconds_of_superstep(wan, false, seed))
          << wan << ", seed " << seed;
  }
}

}  // namespace
}  // namespace lbsp::plan
