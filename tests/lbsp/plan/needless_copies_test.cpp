#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <string>

#include "lbsp/plan/model_planner.hpp"
#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/planned_job.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// Hosts whose ranks share a slow uplink: copies take the time of the next superstep's data, and fill the queue that
/// makes round trips look long enough for them.
namespace lbsp::plan {
namespace {

using transport::start;
using namespace std::chrono_literals;
using namespace transport;

struct SharedUplinks {
  Rank hosts;
  Rank ranks;  ///< of each
  double megabits;
  const char* wan;
  std::size_t bytes;  ///< for each pair
  bool told;

  friend std::ostream& operator<<(std::ostream& out, const SharedUplinks& of) {
    return out << of.hosts << " hosts of " << of.ranks << ", " << of.bytes << " bytes, " << of.megabits
               << " Mbit/s, " << of.wan << (of.told ? ", told" : ", found");
  }
};

SimulationConfig job_on(const SharedUplinks& on, const ExchangeOptions& redundancy, std::uint64_t seed) {
  SimulationConfig config = planned_job(on.hosts * on.ranks, on.wan, on.told ? on.megabits : 0);
  config.seed = seed;
  config.planner = [=](Rank) { return std::make_unique<ModelPlanner>(redundancy); };
  give_links(config, {megabits_per_second(on.megabits), 64 << 10}, on.ranks);
  return config;
}

/// Of the supersteps after 15.
double mean_seconds(const SharedUplinks& on, const ExchangeOptions& redundancy) {
  constexpr std::uint64_t seeds = 2;
  double mean = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    RunningJob job(job_on(on, redundancy, seed), [&](Rank, Rank) { return on.bytes; });
    SharedTime time;
    time.add(job);
    time.run_until([&] { return job.supersteps() >= 50; }, start + 200s);
    mean += job.mean_seconds(15) / seeds;
  }
  return mean;
}

class NeedlessCopies : public ::testing::TestWithParam<SharedUplinks> {};

TEST_P(NeedlessCopies, are_not_sent) {
  double best = 1e9;
  for (const int copies : {1, 2})
    best = std::min(best, mean_seconds(GetParam(), {.redundancy = Redundancy::fixed, .copies = copies}));
  EXPECT_LT(mean_seconds(GetParam(), {.redundancy = Redundancy::automatic}), 1.1 * best);
}

/// They took 1.69, 2.30, 2.58, 2.27, 3.69, 3.83 and 1.41 times as long.
INSTANTIATE_TEST_SUITE_P(Grid, NeedlessCopies,
                         ::testing::Values(SharedUplinks{3, 4, 5, "rtt=20ms", 500, true},
                                           SharedUplinks{3, 4, 20, "rtt=5ms", 2000, true},
                                           SharedUplinks{3, 4, 20, "rtt=5ms", 500, true},
                                           SharedUplinks{3, 4, 100, "rtt=5ms", 2000, true},
                                           SharedUplinks{3, 4, 5, "rtt=20ms", 500, false},
                                           SharedUplinks{3, 4, 1, "rtt=20ms", 500, false},
                                           SharedUplinks{4, 1, 1, "rtt=20ms,loss=5%", 500, true}));

/// However little they cost, as others may need the link. Two of each segment did.
TEST(NeedlessCopiesAtNoCost, are_not_sent_on_a_fast_path_that_loses_nothing) {
  const SharedUplinks on{4, 1, 100, "rtt=20ms", 500, true};
  RunningJob job(job_on(on, {.redundancy = Redundancy::automatic}, 1), [&](Rank, Rank) { return on.bytes; });
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= 100; }, start + 200s);
  const TrafficCounters before = job.traffic();
  time.run_until([&] { return job.supersteps() >= 150; }, start + 200s);
  const TrafficCounters traffic = job.traffic() - before;
  EXPECT_LT(static_cast<double>(traffic.copies_sent), 0.05 * static_cast<double>(traffic.segments_sent));
}

}  // namespace
}  // namespace lbsp::plan
