#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/planned_job.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// Paths that lose datagrams in long runs, which last for so many datagrams and not for a time.
namespace lbsp::plan {
namespace {

using transport::start;
using namespace std::chrono_literals;
using namespace transport;

struct LossyJob {
  std::string wan;
  Rank size;
  std::size_t message_bytes;
  std::uint32_t supersteps;
  double megabits;
  bool told = true;
};

struct Longest {
  double first;  ///< superstep, seconds
  double later;
};

/// Throws std::runtime_error if a rank fails.
Longest longest_supersteps(const LossyJob& job, std::uint64_t seed) {
  SimulationConfig config = planned_job(job.size, job.wan, job.told ? job.megabits : 0);
  config.seed = seed;
  give_links(config, {megabits_per_second(job.megabits), 256 << 10});
  RunningJob running(config, [&](Rank, Rank) { return job.message_bytes; });
  SharedTime time;
  time.add(running);
  time.run_until([&] { return running.supersteps() >= job.supersteps; }, start + 600s);
  EXPECT_GE(running.supersteps(), job.supersteps) << "seed " << seed;
  Longest longest{running.seconds(0), 0};
  for (std::uint32_t i = 1; i < running.supersteps(); ++i)
    longest.later = std::max(longest.later, running.seconds(i));
  return longest;
}

std::vector<double> later_supersteps(const LossyJob& job, std::uint64_t seeds) {
  std::vector<double> longest;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    longest.push_back(longest_supersteps(job, seed).later);
  std::ranges::sort(longest);
  return longest;
}

/// Two ranks of which one does not hear the other, or neither, send little, and a run lasts for as long as that is less
/// than it has datagrams: of 20 jobs 6 ended after 15 s without a word, the others stood still for 7 s in the median,
/// for 26 s at most.
TEST(RunsOfLosses, of_a_hundred_datagrams_last_for_seconds_at_most) {
  const LossyJob told{"rtt=40ms,loss=20%,burst=100", 4, 100'000, 20, 20};
  const auto longest = later_supersteps(told, 12);
  EXPECT_LT(longest[longest.size() / 2], 1.6);
  EXPECT_LT(longest.back(), 4);
  LossyJob found = told;
  found.told = false;
  EXPECT_LT(later_supersteps(found, 8).back(), 7);
}

/// Of 40 jobs the longest stood still for 1.7 s, before it knew how long runs are. It was 1.6 s in the median.
TEST(RunsOfLosses, of_twenty_datagrams_hardly_ever_last_for_a_second) {
  for (const char* wan : {"rtt=40ms,loss=10%,burst=20", "rtt=40ms,loss=2%,burst=20"}) {
    const auto longest = later_supersteps({wan, 5, 2000, 100, 50}, 10);
    EXPECT_LT(longest[longest.size() / 2], 0.75) << wan;
    EXPECT_LT(longest[8], 1.2) << wan;
    EXPECT_LT(longest.back(), 2) << wan;
  }
}

}  // namespace
}  // namespace lbsp::plan
