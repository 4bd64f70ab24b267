// Rates of many hosts that send to each other. Each meets the others' datagrams at random before every downlink.
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>

#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/planned_job.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

namespace lbsp::plan {
namespace {

using namespace std::chrono_literals;
using namespace transport;

/// Rates begin twice as high as the links' if they are to be found: nobody has told them.
SimulationConfig many_hosts(Rank hosts, const char* wan, bool found, std::uint64_t seed) {
  SimulationConfig config = planned_job(hosts, wan);
  config.seed = seed;
  config.options.find_rate = found;
  config.options.rate = megabits_per_second(found ? 100 : 50);
  give_links(config, {megabits_per_second(50), 125'000});
  return config;
}

/// Of a superstep, once the rates have been found: the 21st to the 60th.
double seconds_of_superstep(const char* wan, bool found, std::uint64_t seed) {
  constexpr std::size_t message_bytes = 64 << 10;
  RunningJob job(many_hosts(8, wan, found, seed), [](Rank, Rank) { return message_bytes; });
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= 60; }, Instant{1min});
  return job.mean_seconds(20);
}

/// Of the job's first superstep.
double seconds_of_first(std::size_t message_bytes, const char* wan, bool found, std::uint64_t seed) {
  RunningJob job(many_hosts(16, wan, found, seed), [=](Rank, Rank) { return message_bytes; });
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() > 0; }, Instant{1min});
  return job.seconds(0);
}

TEST(ManyHosts, need_little_more_time_with_rates_that_are_found_than_with_told_ones) {
  for (const char* wan : {"rtt=20ms,loss=1%", "rtt=40ms,loss=1%"}) {
    for (const std::uint64_t seed : {1U, 2U, 3U})
      EXPECT_LT(seconds_of_superstep(wan, true, seed), 1.09 * seconds_of_superstep(wan, false, seed))
          << wan << ", seed " << seed;
  }
}

/// What goes before there is data tells them what the links carry.
TEST(ManyHosts, lose_little_time_at_the_start_to_rates_that_begin_too_high) {
  struct Start {
    std::size_t bytes;
    const char* wan;
  };
  for (const Start& start : {Start{16 << 10, "rtt=20ms,loss=10%"}, Start{64 << 10, "rtt=70ms,loss=2%"}}) {
    for (const std::uint64_t seed : {1U, 2U, 3U})
      EXPECT_LT(seconds_of_first(start.bytes, start.wan, true, seed),
                1.15 * seconds_of_first(start.bytes, start.wan, false, seed))
          << start.wan << ", seed " << seed;
  }
}

}  // namespace
}  // namespace lbsp::plan
