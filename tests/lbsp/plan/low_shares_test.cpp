#include <cstddef>
#include <gtest/gtest.h>

#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/planned_job.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// Hosts of several ranks, each of which has a small part of a link of a few Mbit/s, and short messages.
namespace lbsp::plan {
namespace {

using transport::start;
using namespace std::chrono_literals;
using namespace transport;

/// Of a superstep in the mean, all to all of 200 bytes, and of some seeds.
double seconds_of_shares(Rank hosts, Rank ranks_each, double megabits, const char* wan) {
  constexpr std::uint64_t seeds = 6;
  double mean = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SimulationConfig config = planned_job(hosts * ranks_each, wan, megabits);
    config.seed = seed;
    give_links(config, {megabits_per_second(megabits), 64 << 10}, ranks_each);
    RunningJob job(config, [](Rank, Rank) { return std::size_t{200}; });
    SharedTime time;
    time.add(job);
    time.run_until([&] { return job.supersteps() >= 40; }, start + 300s);
    EXPECT_GE(job.supersteps(), 40U) << seed;
    mean += job.mean_seconds(2) / seeds;
  }
  return mean;
}

struct Shares {
  Rank hosts;
  Rank ranks_each;
  double megabits;
  const char* wan;
  double most_seconds;
  double seconds_before;
};

/// What was lost waited each time until there would have been time for reports to all.
TEST(LowShares, wait_for_no_reports_to_those_that_need_none) {
  for (const Shares& each : {Shares{3, 4, 1, "rtt=25ms,loss=5%,burst=4", 0.3, 0.447},
                             Shares{4, 4, 3, "rtt=5ms,loss=10%,burst=4", 0.29, 0.366},
                             Shares{2, 4, 3, "rtt=1ms,loss=15%,burst=4", 0.07, 0.112},
                             Shares{2, 4, 0.5, "rtt=1ms,loss=10%", 0.16, 0.226}}) {
    EXPECT_LT(seconds_of_shares(each.hosts, each.ranks_each, each.megabits, each.wan), each.most_seconds)
        << each.megabits << " Mbit/s, " << each.wan << ", " << each.seconds_before;
  }
}

}  // namespace
}  // namespace lbsp::plan
