#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <vector>

#include "lbsp/plan/model_planner.hpp"
#include "tests/transport/simulated_run.hpp"

// What a superstep takes when every rank begins the next one as soon as it may.
namespace lbsp::plan {
namespace {

using transport::testing::SimulatedRun;
using transport::testing::SimulatedSupersteps;

struct Milliseconds {
  double mean = 0;
  double p99 = 0;
};

/// All-to-all supersteps at 100 Mbit/s over the WAN, with planned redundancy. The first ten do not count.
Milliseconds measure(Rank size, std::size_t bytes, const char* wan, std::uint32_t supersteps,
                     std::uint64_t seed) {
  SimulatedSupersteps job;
  job.config.size = size;
  job.config.wan = transport::parse_wan_spec(wan);
  job.config.seed = seed;
  job.config.options.rate = transport::megabits_per_second(100);
  job.config.planner = [](Rank) {
    return std::make_unique<ModelPlanner>(
        transport::ExchangeOptions{.redundancy = transport::Redundancy::automatic});
  };
  job.supersteps = supersteps;
  job.message = [bytes](std::uint32_t, Rank, Rank) { return Bytes(bytes, std::byte{42}); };
  SimulatedRun run(job);
  run.complete();
  std::vector<double> taken;
  for (Rank rank = 0; rank < size; ++rank) {
    const std::vector<transport::Duration>& durations = run.durations(rank);
    for (std::size_t i = 10; i < durations.size(); ++i)
      taken.push_back(std::chrono::duration<double, std::milli>(durations[i]).count());
  }
  std::ranges::sort(taken);
  double sum = 0;
  for (const double each : taken)
    sum += each;
  return {sum / static_cast<double>(taken.size()), taken[taken.size() * 99 / 100]};
}

TEST(OldestFirst, two_ranks_with_long_messages_keep_in_step) {
  for (const std::uint64_t seed : {3U, 4U, 7U, 8U}) {
    const Milliseconds superstep = measure(2, 1 << 20, "rtt=70ms,loss=10%", 110, seed);
    EXPECT_LT(superstep.mean, 149) << "seed " << seed;
    EXPECT_LT(superstep.p99, 280) << "seed " << seed;
  }
}

}  // namespace
}  // namespace lbsp::plan
