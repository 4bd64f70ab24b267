#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "tests/lbsp/plan/sharing_jobs.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// A queue is doubted where delays vary for other reasons, and only there, whether a rate was told or has to be found.
namespace lbsp::plan {
namespace {

using namespace std::chrono_literals;
using namespace transport;

/// Of 1 MiB for each pair of four ranks on links of 100 Mbit/s, from the third superstep on. They take 0.29 s at a
/// rate that is kept.
double mean_superstep_seconds(std::uint64_t seed) {
  SimulationConfig config = planned_job(4, "rtt=20ms,jitter=20ms");
  config.seed = seed;
  const auto link = [] {
    return std::make_shared<Bottleneck>(BottleneckSpec{megabits_per_second(100), 250'000});
  };
  for (Rank rank = 0; rank < config.size; ++rank)
    config.topology.hosts.push_back({1, link(), link()});
  RunningJob job(config, [](Rank, Rank) { return std::size_t{1} << 20; });
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= 8; }, start + 100s);
  return job.mean_seconds(2);
}

TEST(DoubtedQueues, of_delays_that_vary_leave_a_found_rate_nearly_what_it_is_without_them) {
  std::vector<double> means;
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    means.push_back(mean_superstep_seconds(seed));
  EXPECT_LT(median_of(means), 0.34);
}

/// Delays do not vary there, but for the queue that the jobs fill.
TEST(DoubtedQueues, are_none_before_a_slow_link_that_told_jobs_share) {
  std::vector<double> drops;
  std::vector<double> ratios;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto link = std::make_shared<Bottleneck>(BottleneckSpec{megabits_per_second(10), 125'000});
    const Shares shared = shares({.wan = "rtt=100ms", .told_megabits = 10, .settle = 4s}, link, seed);
    drops.push_back(shared.drops);
    ratios.push_back(shared.most / shared.least);
  }
  EXPECT_LT(median_of(drops), 0.01);
  EXPECT_LT(median_of(ratios), 4);
}

}  // namespace
}  // namespace lbsp::plan
