#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>

#include "tests/lbsp/plan/planned_job.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// Two sites of four hosts each, and a slow link between them that drops what is long before what is short: paths seem
/// narrow, and are put on trial.
namespace lbsp::plan {
namespace {

using transport::start;
using namespace std::chrono_literals;
using namespace transport;

constexpr Rank hosts_of_site = 4;

struct Link {
  double kilobits;
  std::uint64_t queue_bytes;
};

/// Of the supersteps of a job in which each host sends to its counterpart in the other site.
double longest_superstep(const Link& between, std::size_t bytes, std::uint64_t seed) {
  SimulationConfig config = planned_job(2 * hosts_of_site, "rtt=50ms,loss=2%,jitter=2ms");
  config.seed = seed;
  config.options.find_datagram = true;
  config.options.datagram_bytes = 1472;
  config.options.peer_timeout = 1min;
  for (const int site : {1, 2}) {
    const auto link = std::make_shared<Bottleneck>(
        BottleneckSpec{megabits_per_second(between.kilobits / 1000), between.queue_bytes});
    for (Rank host = 0; host < hosts_of_site; ++host)
      config.topology.hosts.push_back({.uplink = link, .site = site});
  }
  RunningJob job(config, [bytes](Rank from, Rank to) { return (from ^ to) == hosts_of_site ? bytes : 0; });
  SharedTime time;
  time.add(job);
  constexpr std::size_t supersteps = 30;
  EXPECT_TRUE(time.run_until([&] { return job.supersteps() >= supersteps; }, start + 10min));
  double longest = 0;
  for (std::size_t superstep = 0; superstep < job.supersteps(); ++superstep)
    longest = std::max(longest, job.seconds(superstep));
  return longest;
}

/// A superstep takes 1.2 s in the mean. The questions of a trial, 22 kB or more, were charged to their path at once, so
/// no data went there until as much would have been carried.
TEST(TrialsBetweenSites, do_not_keep_what_is_sent_first_waiting) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U})
    EXPECT_LT(longest_superstep({256, 16'000}, 4000, seed), 3.5) << "8 to 13.6, seed " << seed;
}

TEST(TrialsBetweenSites, of_a_run_do_not_keep_data_waiting) {
  EXPECT_LT(longest_superstep({128, 16'000}, 1000, 5), 4) << "14";
  EXPECT_LT(longest_superstep({128, 16'000}, 1000, 7), 4) << "11.2";
}

}  // namespace
}  // namespace lbsp::plan
