#include <gtest/gtest.h>
#include <limits>

#include "tests/lbsp/plan/sharing_jobs.hpp"

/// Delays that vary by as much as the round trip are no queue, and keep no link idle. Rates have to be found.
namespace lbsp::plan {
namespace {

using namespace std::chrono_literals;
using namespace transport;

std::shared_ptr<Bottleneck> even_link(double megabits, std::uint64_t queue_bytes) {
  return std::make_shared<Bottleneck>(
      BottleneckSpec{.rate = megabits_per_second(megabits), .queue_bytes = queue_bytes, .exact = false});
}

/// Mean seconds of the supersteps after `settled` of them, or infinite if they have not ended after ten minutes.
double mean_superstep(RunningJob& job, std::size_t settled, std::size_t supersteps) {
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= supersteps; }, start + 600s);
  if (job.supersteps() < supersteps) return std::numeric_limits<double>::infinity();
  return job.mean_seconds(settled);
}

/// The time of a superstep in which all others send to one, over what the bytes take; the mean of four seeds.
double gather_over_bound(const char* wan, Rank ranks, double megabits, std::size_t message) {
  double times = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    SimulationConfig config = planned_job(ranks, wan);
    config.seed = seed;
    for (Rank rank = 0; rank < ranks; ++rank)
      config.topology.hosts.push_back({1, even_link(megabits, 68'000), even_link(megabits, 68'000)});
    RunningJob job(config, [message](Rank, Rank to) { return to == 0 ? message : 0; });
    const double bits = 8.0 * static_cast<double>(message) * (ranks - 1);
    times += mean_superstep(job, 2, 14) / (bits / (megabits * 1e6)) / 4;
  }
  return times;
}

/// What the longest datagram of a round met passed for a queue of a slow link, and half of that was left each second.
TEST(LastingJitter, keeps_no_downlink_idle_that_many_send_to) {
  EXPECT_LT(gather_over_bound("rtt=6.6ms,jitter=3.5ms", 5, 40, 800'000), 1.65) << "1.8";
}

/// Of seven senders each seldom sends, so that a queue might have become longer in between: jitter passed for one.
TEST(LastingJitter, is_seen_although_each_of_many_seldom_sends) {
  EXPECT_LT(gather_over_bound("rtt=10ms,jitter=3.5ms", 8, 20, 300'000), 1.4) << "3.0";
}

/// A round of sixteen datagrams that loses none by chance told what the paths lose, and all others were drops.
TEST(LastingJitter, and_random_loss_keep_no_downlink_idle) {
  EXPECT_LT(gather_over_bound("rtt=6.6ms,jitter=3.5ms,loss=5%", 5, 40, 800'000), 1.7) << "7";
}

/// In rounds of eight datagrams, runs of losses often take half. Bounds that delays had shown to be a mistake began
/// anew for that, again and again, at ever lower rates.
TEST(LastingJitter, and_runs_of_losses_keep_no_link_idle) {
  constexpr std::size_t message = 360'000;
  double times = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    SimulationConfig config = planned_job(2, "rtt=6.6ms,loss=10%,burst=2,jitter=1.5ms");
    config.seed = seed;
    config.topology.hosts = {{1, even_link(80, 30'000), even_link(16, 30'000)},
                             {1, even_link(80, 30'000), even_link(16, 30'000)}};
    RunningJob job(config, [](Rank, Rank) { return message; });
    times += mean_superstep(job, 20, 40) / (message * 8 / 16e6) / 4;
  }
  EXPECT_LT(times, 1.7) << "10";
}

}  // namespace
}  // namespace lbsp::plan
