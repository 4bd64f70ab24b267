#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <utility>

#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/sharing_jobs.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// Messages whose bursts spill over queues of a few datagrams: they have gone before an echo can come, and nearly all
/// of them are dropped. Such a queue tells nothing by its delay.
namespace lbsp::plan {
namespace {

using transport::start;
using namespace std::chrono_literals;
using namespace transport;

/// One rank sends to two others, and they answer, each time as much as chance has it.
struct Spilling {
  double megabits;
  std::uint64_t queue_bytes;
  const char* wan;
  std::size_t most_bytes;
  double told = 0;  ///< Mbit/s; 0: nobody has
  Duration lasts = 12s;
};

struct Outcome {
  double seconds = 0;  ///< a superstep, in the mean
  double wire = 0;     ///< bytes for a byte of payload
  double drops = 0;    ///< of all datagrams
};

RunningJob::SizeOf chance_lengths(std::size_t most, std::uint64_t seed) {
  auto random = std::make_shared<std::mt19937>(static_cast<std::uint32_t>(seed));
  auto legs = std::make_shared<std::map<std::pair<Rank, Rank>, int>>();
  return [=](Rank from, Rank to) {
    const bool answers = (*legs)[{from, to}]++ % 2 == 1;
    return (answers ? to : from) == 0 ? (*random)() % most : std::size_t{0};
  };
}

Outcome run(const Spilling& spilling, std::uint64_t seed) {
  SimulationConfig config = planned_job(3, spilling.wan, spilling.told);
  config.seed = seed;
  give_links(config, {megabits_per_second(spilling.megabits), spilling.queue_bytes});
  RunningJob job(config, chance_lengths(spilling.most_bytes, seed));
  SharedTime time;
  time.add(job);
  run_until(time, start + spilling.lasts);

  const TrafficCounters traffic = job.traffic();
  return {job.mean_seconds(0),
          static_cast<double>(traffic.wire_bytes_sent) / static_cast<double>(traffic.payload_bytes_sent),
          part_dropped(config.topology)};
}

Outcome mean_of_seeds(const Spilling& spilling) {
  constexpr std::uint64_t seeds = 3;
  Outcome mean;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Outcome one = run(spilling, seed);
    mean.seconds += one.seconds / seeds;
    mean.wire += one.wire / seeds;
    mean.drops += one.drops / seeds;
  }
  return mean;
}

TEST(SpillingMessages, storm_no_slow_link_with_a_long_round_trip) {
  const Outcome outcome = mean_of_seeds({2, 3000, "rtt=400ms,loss=5%", 20'000, 0, 60s});
  EXPECT_LT(outcome.wire, 5) << "7.2 without a bound";
  EXPECT_LT(outcome.drops, 0.12) << "0.28 without";
}

TEST(SpillingMessages, keep_no_told_rate_that_is_ten_times_too_high) {
  const Outcome outcome = mean_of_seeds({20, 15'000, "rtt=80ms", 200'000, 200});
  EXPECT_LT(outcome.seconds, 0.17) << "0.18 without a bound";
  EXPECT_LT(outcome.drops, 0.15) << "0.21 without";
}

/// A rate that is right takes 0.06 s. One that stays too high takes 0.47.
TEST(SpillingMessages, keep_no_told_rate_that_is_so_high_that_no_train_can_be_timed) {
  const Outcome outcome = mean_of_seeds({200, 6000, "rtt=80ms", 200'000, 2000});
  EXPECT_LT(outcome.drops, 0.1) << "0.14 without a bound";
}

/// What the policer dropped passed for the path's own, and went unbounded for a minute at a time.
TEST(SpillingMessages, do_not_take_for_the_paths_own_what_a_policer_drops) {
  SimulationConfig config = planned_job(3, "rtt=50ms", 0);
  give_links(config, {.rate = megabits_per_second(0.5), .queue_bytes = 8000, .polices = true});
  RunningJob job(config, [](Rank, Rank) { return std::size_t{8000}; });
  SharedTime time;
  time.add(job);
  run_until(time, start + 30s);
  const TrafficCounters traffic = job.traffic();
  EXPECT_GT(job.supersteps(), 60U) << "the bytes take 0.26 s";
  EXPECT_LT(part_dropped(config.topology), 0.15) << "0.44 while it did";
  EXPECT_LT(static_cast<double>(traffic.wire_bytes_sent) / static_cast<double>(traffic.payload_bytes_sent), 2)
      << "6.1";
}

/// What goes out for a byte of payload, after half a minute, by two ranks on each of two hosts, one of which has a
/// policer of 300 kbit/s, the other one of 66. A superstep takes seconds.
double wire_before_slow_policers(std::uint64_t seed) {
  SimulationConfig config = planned_job(4, "rtt=24ms");
  config.seed = seed;
  const auto policer = [](double megabits) {
    return std::make_shared<Bottleneck>(
        BottleneckSpec{.rate = megabits_per_second(megabits), .queue_bytes = 46'000, .polices = true});
  };
  config.topology.hosts = {{2, policer(0.3), policer(0.3)}, {2, policer(0.066), policer(0.066)}};
  RunningJob job(config, [](Rank, Rank) { return std::size_t{12'700}; });
  SharedTime time;
  time.add(job);
  run_until(time, start + 30s);
  const TrafficCounters before = job.traffic();
  run_until(time, start + 150s);
  const TrafficCounters after = job.traffic();
  return static_cast<double>(after.wire_bytes_sent - before.wire_bytes_sent) /
         static_cast<double>(after.payload_bytes_sent - before.payload_bytes_sent);
}

/// That the path lost so much by itself was believed, once a bound of a hundredth of the rate had lost most of the
/// bucket's last bytes, although a hundred times as much was lost without it; and what a bound had been was forgotten
/// between supersteps of ten seconds.
TEST(SpillingMessages, storm_no_slow_policer_once_it_is_known) {
  double wire = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U})
    wire += wire_before_slow_policers(seed) / 4;
  EXPECT_LT(wire, 6) << "91";
}

struct Ring {
  int hosts;
  Rank ranks_each;
  const char* wan;
  double megabits;
  std::uint64_t bucket_bytes;
  std::size_t message_bytes;
};

/// Bytes on the wire for a byte of payload, where each rank sends to the next, through its host's policers.
double wire_of(const Ring& ring, std::size_t supersteps) {
  const Rank ranks = static_cast<Rank>(ring.hosts) * ring.ranks_each;
  SimulationConfig config = planned_job(ranks, ring.wan);
  const auto policer = [&] {
    return std::make_shared<Bottleneck>(BottleneckSpec{
        .rate = megabits_per_second(ring.megabits), .queue_bytes = ring.bucket_bytes, .polices = true});
  };
  for (int host = 0; host < ring.hosts; ++host)
    config.topology.hosts.push_back({ring.ranks_each, policer(), policer()});
  RunningJob job(config, [&](Rank from, Rank to) {
    return to == (from + 1) % ranks ? ring.message_bytes : std::size_t{0};
  });
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= supersteps; }, start + 300s);
  EXPECT_EQ(job.supersteps(), supersteps);
  const TrafficCounters traffic = job.traffic();
  return static_cast<double>(traffic.wire_bytes_sent) / static_cast<double>(traffic.payload_bytes_sent);
}

/// Copies in probes that nobody answers kept them flooded.
TEST(SpillingMessages, feed_no_policer_that_several_ranks_share) {
  double faster = 0;
  double slower = 0;
  for (const std::size_t more : {0U, 211U, 422U, 633U}) {
    faster += wire_of({4, 4, "rtt=0.75ms,jitter=0.11ms", 2.63, 21'414, 38'310 + more}, 22) / 4;
    slower += wire_of({5, 3, "rtt=0.26ms,jitter=0.1ms", 0.52, 8370, 64'310 + more}, 22) / 4;
  }
  EXPECT_LT(faster, 2.3) << "2.6";
  EXPECT_LT(slower, 3.1) << "3.6";
}

}  // namespace
}  // namespace lbsp::plan
