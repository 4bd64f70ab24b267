// Paths on which a few datagrams take a shorter way, as where routes are divided packet by packet.
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

/// Of the eleventh superstep to the sixtieth, on uplinks of 100 Mbit/s, in which each sends 200 kB.
double seconds_of_superstep(Rank size, const char* wan, std::uint64_t seed) {
  SimulationConfig config = planned_job(size, wan);
  config.seed = seed;
  give_uplinks(config, {megabits_per_second(100), 200'000});
  const std::size_t message_bytes = 200'000 / static_cast<std::size_t>(size - 1);
  RunningJob job(config, [=](Rank, Rank) { return message_bytes; });
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= 60; }, Instant{1min});
  return job.mean_seconds(10);
}

double mean_of_seeds(Rank size, const char* wan) {
  constexpr std::uint64_t seeds = 6;
  double mean = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    mean += seconds_of_superstep(size, wan, seed) / seeds;
  return mean;
}

/// The rate has to be found. They were taken for what the path's delay is without a queue, and those that they had
/// overtaken for losses: supersteps of 36 ms took 80 to 460.
TEST(Overtaking, of_some_datagrams_leaves_a_found_rate_what_it_is) {
  for (const char* wan : {"rtt=40ms,overtake=0.2%", "rtt=40ms,overtake=1%", "rtt=40ms,overtake=5%"}) {
    for (const Rank size : {2, 4})
      EXPECT_LT(mean_of_seeds(size, wan), 0.042) << size << " ranks, " << wan;
  }
}

/// Where few have come before one that overtakes others, as at a superstep's beginning, it is told of as the newest.
TEST(Overtaking, beside_losses_leaves_a_found_rate_nearly_what_it_is) {
  EXPECT_LT(mean_of_seeds(2, "rtt=40ms,loss=5%,overtake=0.2%"), 0.045);
  EXPECT_LT(mean_of_seeds(4, "rtt=40ms,loss=5%,overtake=0.2%"), 0.042);
  EXPECT_LT(mean_of_seeds(4, "rtt=40ms,loss=5%,overtake=1%"), 0.045);
}

/// Two short ways in a row, there and back, look as if the path were 10 or 20 ms shorter. What the others took then
/// passed for a queue that no rate made shorter, and the rate fell without end: in a seed of five to 0.5 to 1.2 s a
/// superstep.
TEST(Overtaking, there_and_back_makes_no_queue) {
  for (const std::uint64_t seed : {2U, 8U, 10U, 18U, 19U}) {
    EXPECT_LT(seconds_of_superstep(2, "rtt=40ms,overtake=5%", seed), 0.06) << seed;
    EXPECT_LT(seconds_of_superstep(2, "rtt=20ms,overtake=5%", seed), 0.2) << seed;
  }
}

}  // namespace
}  // namespace lbsp::plan
