#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/planned_job.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// Paths that lose a third of what goes over them and more, however little that is.
namespace lbsp::plan {
namespace {

using transport::start;
using namespace std::chrono_literals;
using namespace transport;

/// Three hosts with an uplink of so many Mbit/s each, which are told or have to be found.
SimulationConfig three_hosts(double megabits, const std::string& wan, bool told, std::uint64_t seed) {
  SimulationConfig config = planned_job(3, wan, told ? megabits : 0);
  config.seed = seed;
  give_uplinks(config, {megabits_per_second(megabits), 256 << 10});
  return config;
}

/// 50 Mbit/s, 400 kB for each pair.
double seconds_on(int loss_percent, bool told, std::uint64_t seed) {
  const auto config = three_hosts(50, fmt::format("rtt=40ms,loss={}%", loss_percent), told, seed);
  RunningJob job(config, [](Rank, Rank) { return std::size_t{400'000}; });
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= 40; }, start + 200s);
  EXPECT_GE(job.supersteps(), 40U) << loss_percent << " %, seed " << seed;
  return job.mean_seconds(2);
}

/// That is nobody's queue: a rate that has to be found is not to fall for it, or only for a trial, which takes one job
/// in ten a third longer.
TEST(HeavyLosses, of_the_path_itself_leave_a_found_rate_where_it_was) {
  constexpr std::uint64_t seeds = 5;
  for (const int percent : {35, 50}) {
    const double told = seconds_on(percent, true, 1);
    double mean = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const double found = seconds_on(percent, false, seed);
      mean += found / seeds;
      EXPECT_LT(found, 1.4 * told) << percent << " %, seed " << seed;
    }
    EXPECT_LT(mean, 1.13 * told) << percent << " %";
  }
}

/// Two spells of 50 % loss, of four seconds each, four seconds apart, on uplinks of 20 Mbit/s: the longest superstep
/// that begins so long after them or later, over the one before them.
double longer_after_spells(bool told, Duration later, std::uint64_t seed) {
  SimulationConfig config = three_hosts(20, "rtt=70ms", told, seed);
  config.faults.lossy_spells = {{4s, 8s, 0.5}, {12s, 16s, 0.5}};
  RunningJob job(config, [](Rank, Rank) { return std::size_t{200'000}; });
  SharedTime time;
  time.add(job);
  time.run_until([] { return false; }, start + 4s);
  const double before = job.seconds(job.supersteps() - 1);
  time.run_until([] { return false; }, start + 16s + later);
  const std::size_t first = job.supersteps() + 1;
  time.run_until([] { return false; }, start + 60s);
  double longest = 0;
  for (std::size_t superstep = first; superstep < job.supersteps(); ++superstep)
    longest = std::max(longest, job.seconds(superstep));
  return longest / before;
}

/// If they end while a quarter of the rate is tried, that loses less.
TEST(HeavyLosses, that_come_and_go_do_not_leave_the_rate_at_what_was_tried_meanwhile) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    EXPECT_LT(longer_after_spells(true, 10s, seed), 1.5) << "told, seed " << seed;
    EXPECT_LT(longer_after_spells(false, 30s, seed), 1.5) << "found, seed " << seed;
  }
}

}  // namespace
}  // namespace lbsp::plan
