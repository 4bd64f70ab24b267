#include <algorithm>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/planned_job.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// First supersteps on short paths that lose datagrams in runs, so that some paths have not been measured for a while.
namespace lbsp::plan {
namespace {

using transport::start;
using namespace std::chrono_literals;
using namespace transport;

/// In seconds, ascending, of hosts of several ranks that are told what their links carry.
std::vector<double> lengths_of_first(Rank hosts, Rank ranks_each, double megabits, const char* wan) {
  std::vector<double> firsts;
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    SimulationConfig config = planned_job(hosts * ranks_each, wan, megabits);
    config.seed = seed;
    give_links(config, {megabits_per_second(megabits), 64 << 10}, ranks_each);
    RunningJob job(config, [](Rank, Rank) { return std::size_t{200}; });
    SharedTime time;
    time.add(job);
    time.run_until([&] { return job.supersteps() >= 1; }, start + 60s);
    EXPECT_GE(job.supersteps(), 1U) << seed;
    firsts.push_back(job.supersteps() > 0 ? job.seconds(0) : 60);
  }
  std::ranges::sort(firsts);
  return firsts;
}

struct Firsts {
  double megabits;
  double median;
  double longest;
};

/// As long as each path was taken to be transcontinental until it had been measured itself, they took 0.95 s in the
/// median and 4.6 s at most, and 0.47 and 3.2 s.
TEST(UnmeasuredPaths, are_taken_to_be_as_long_as_those_to_other_ranks_of_the_host) {
  for (const Firsts& most : {Firsts{3, 0.35, 1.2}, Firsts{30, 0.1, 0.3}}) {
    const auto firsts = lengths_of_first(3, 4, most.megabits, "rtt=5ms,loss=10%,burst=4");
    EXPECT_LT(firsts[firsts.size() / 2], most.median) << most.megabits;
    EXPECT_LT(firsts.back(), most.longest) << most.megabits;
  }
}

}  // namespace
}  // namespace lbsp::plan
