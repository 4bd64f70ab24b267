#include <gtest/gtest.h>
#include <limits>

#include "tests/lbsp/plan/sharing_jobs.hpp"

/// Delays that vary by as much as the round trip are no queue, and keep no link
/// idle. Rates have to be found.
namespace lbsp::plan {
namespace {

using namespace std::chrono_literals;
using namespace transport;

std::shared_ptr<Bottleneck> even_link(double megabits,
                                      std::uint64_t queue_bytes) {
  return std::make_shared<Bottleneck>(
      BottleneckSpec{.rate = megabits_per_second(megabits),
                     .queue_bytes = queue_bytes,
                     .exact = false});
}

/// Mean seconds of the supersteps after `settled` of them, or infinite if they
/// have not ended after ten minutes.
double mean_superstep(RunningJob &job, std::size_t settled,
                      std::size_t supersteps) {
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= supersteps; }, start + 600s);
  if (job.supersteps() < supersteps)
    return std::numeric_limits<double>::infinity();
  return job.mean_seconds(settled);
}

/// What the longest datagram of a round met passed for a queue of a slow link,
/// and half of that was left each second.
TEST(LastingJitter, keeps_no_downlink_idle_that_many_send_to) {
  constexpr Rank ranks = 5;
  constexpr std::size_t message = 800'000;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    SimulationConfig config = planned_job(ranks, "rtt=6.6ms,jitter=3.5ms");
    config.seed = seed;
    for (Rank rank = 0; rank < ranks; ++rank)
      config.topology.hosts.push_back(
          {1, even_link(40, 68'000), even_link(40, 68'000)});
    RunningJob job(config, [](Rank, Rank to) { return to == 0 ? message : 0; });
    const double bound = (ranks - 1) * message * 8 / 40e6;
    EXPECT_LT(mean_superstep(job, 2, 10), 2 * bound) << seed;
  }
}

/// A rise was undone for what a run of losses took, and a queue of which three
/// of eight datagrams were lost passed for full: rates stayed at a fifth of the
/// link's.
TEST(LastingJitter, and_runs_of_losses_keep_no_link_idle) {
  constexpr std::size_t message = 360'000;
  double times = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    SimulationConfig config =
        planned_job(2, "rtt=6.6ms,loss=10%,burst=2,jitter=1.5ms");
    config.seed = seed;
    config.topology.hosts = {{1, even_link(80, 30'000), even_link(16, 30'000)},
                             {1, even_link(80, 30'000), even_link(16, 30'000)}};
    RunningJob job(config, [](Rank, Rank) { return message; });
    times += mean_superstep(job, 20, 40) / (message * 8 / 16e6) / 4;
  }
  EXPECT_LT(times, 7) << "17";
}

} // namespace
} // namespace lbsp::plan
