#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>

#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/planned_job.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// Jobs that begin on paths whose delays vary, so that the questions of the start, which are short, come unevenly.
namespace lbsp::plan {
namespace {

using namespace std::chrono_literals;
using namespace transport;

struct JitteryStart {
  double megabits;
  std::uint64_t queue_bytes;
  const char* wan;
  std::size_t ring_bytes;  ///< a message to the next rank
  std::size_t supersteps = 4;
  bool outlives_ranks = false;
};

struct Begun {
  double first_seconds = 0;
  double dropped = 0;
  double rate_megabits = 0;
};

Begun mean_of_seeds(const JitteryStart& given) {
  constexpr Rank ranks = 4;
  constexpr std::uint64_t seeds = 6;
  Begun mean;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SimulationConfig config = planned_job(ranks, given.wan);
    config.seed = seed;
    config.options.find_datagram = true;
    config.options.outlives_ranks = given.outlives_ranks;
    if (given.outlives_ranks) config.options.peer_timeout = 20s;
    give_uplinks(config, {.rate = megabits_per_second(given.megabits), .queue_bytes = given.queue_bytes});
    RunningJob job(config,
                   [&](Rank from, Rank to) { return to == (from + 1) % ranks ? given.ring_bytes : 0; });
    SharedTime time;
    time.add(job);
    time.run_until([&] { return job.supersteps() >= given.supersteps; }, config.beginning + 60s);
    EXPECT_EQ(job.supersteps(), given.supersteps);
    mean.first_seconds += job.seconds(0) / seeds;
    mean.dropped += part_dropped(config.topology) / seeds;
    mean.rate_megabits += job.network().endpoint(0).network().rate.value * 8e-6 / seeds;
  }
  return mean;
}

/// They began with 100 Mbit/s, as if the link carried that: the bytes take 0.29 s.
TEST(JitteryStart, floods_no_slow_link) {
  const Begun little = mean_of_seeds({2, 16 << 10, "rtt=100ms,jitter=1ms", 73'000});
  EXPECT_LT(little.first_seconds, 0.58) << "0.62";
  EXPECT_LT(little.dropped, 0.08) << "0.12";
  EXPECT_LT(little.rate_megabits, 3) << "18";
  const Begun more = mean_of_seeds({2, 16 << 10, "rtt=100ms,jitter=2ms", 73'000});
  EXPECT_LT(more.first_seconds, 0.65) << "0.75";
  EXPECT_LT(more.dropped, 0.12) << "0.34";
  EXPECT_LT(more.rate_megabits, 4) << "100";
}

/// Where the questions come nearly as one, the link carries them, and nothing waits for more: the bytes take 0.09 s. If
/// some are late by more, the link may be slow. Then a round trip more is waited for.
TEST(JitteryStart, waits_no_longer_than_it_has_to_on_a_fast_link) {
  EXPECT_LT(mean_of_seeds({100, 2'000'000, "rtt=150ms,jitter=1ms", 200'000}).first_seconds, 0.13);
  EXPECT_LT(mean_of_seeds({100, 2'000'000, "rtt=150ms,jitter=5ms", 200'000}).first_seconds, 0.27);
}

/// Jobs that outlive ranks asked nothing at first, and each path had a window of its own.
TEST(JitteryStart, is_the_same_in_jobs_that_outlive_ranks) {
  JitteryStart given{2, 16 << 10, "rtt=100ms", 73'000};
  given.outlives_ranks = true;
  const Begun slow = mean_of_seeds(given);
  EXPECT_LT(slow.first_seconds, 0.42) << "0.57";
  EXPECT_LT(slow.dropped, 0.01) << "0.06";
  given = {100, 2'000'000, "rtt=150ms,jitter=1ms", 200'000};
  given.outlives_ranks = true;
  EXPECT_LT(mean_of_seeds(given).first_seconds, 0.13) << "0.6";
}

}  // namespace
}  // namespace lbsp::plan
