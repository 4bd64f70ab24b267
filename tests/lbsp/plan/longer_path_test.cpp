#include <gtest/gtest.h>

#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/sharing_jobs.hpp"

/// A path that becomes longer in mid-run, as after a change of routes.
namespace lbsp::plan {
namespace {

using namespace std::chrono_literals;
using namespace transport;

constexpr Duration detour = 45ms;
constexpr Duration detour_at = 5s;

struct Job {
  Rank ranks;
  const char* wan;
  std::size_t bytes;  ///< to each other rank
};

/// The mean superstep, in seconds, from two seconds after the detour until five seconds later, of a job that finds its
/// rate on links of 10 Mbit/s; and what it takes at the least.
double superstep_after_detour(const Job& of, std::uint64_t seed) {
  SimulationConfig config = planned_job(of.ranks, of.wan);
  config.seed = seed;
  config.faults.detours.push_back({detour_at + seed * 37ms, detour});
  give_links(config, {megabits_per_second(10), 64'000});
  RunningJob job(config, [&of](Rank, Rank) { return of.bytes; });
  SharedTime time;
  time.add(job);
  run_until(time, config.beginning + detour_at + 2s);
  const std::size_t before = job.supersteps();
  run_until(time, config.beginning + detour_at + 7s);
  double sum = 0;
  for (std::size_t i = before; i < job.supersteps(); ++i)
    sum += job.seconds(i);
  return sum / static_cast<double>(job.supersteps() - before);
}

double least_superstep(const Job& of, Duration round_trip) {
  const double bytes = static_cast<double>(of.bytes) * (of.ranks - 1);
  return seconds(round_trip / 2 + detour) + bytes / megabits_per_second(10).value;
}

/// It took 1.6 to 5 times as long for ten to twenty seconds: the delay looked like a queue.
TEST(LongerPath, costs_a_job_that_finds_its_rate_no_more_than_seconds) {
  const Job three{3, "rtt=10ms", 60'000};
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U})
    EXPECT_LT(superstep_after_detour(three, seed), 1.15 * least_superstep(three, 10ms)) << seed;
  const Job where_datagrams_are_lost{3, "rtt=20ms,loss=2%", 60'000};
  for (const std::uint64_t seed : {1U, 2U, 3U})
    EXPECT_LT(superstep_after_detour(where_datagrams_are_lost, seed),
              1.4 * least_superstep(where_datagrams_are_lost, 20ms))
        << seed;
}

}  // namespace
}  // namespace lbsp::plan
