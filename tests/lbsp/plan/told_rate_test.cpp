#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "tests/lbsp/plan/sharing_jobs.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"
#include "transport/simulated/tcp_flow.hpp"

/// Ranks, jobs and TCP that share links, with planned redundancy.
namespace lbsp::plan {
namespace {

using transport::start;
using namespace std::chrono_literals;
using namespace transport;

std::shared_ptr<Bottleneck> link_of(double megabits, std::uint64_t queue_bytes = 512 << 10) {
  return std::make_shared<Bottleneck>(BottleneckSpec{megabits_per_second(megabits), queue_bytes});
}

RunningJob::SizeOf all(std::size_t bytes) {
  return [bytes](Rank, Rank) { return bytes; };
}

double drops(const Bottleneck& link) {
  return static_cast<double>(link.drops()) /
         static_cast<double>(std::max<std::uint64_t>(1, link.datagrams() + link.drops()));
}

/// What each was told fills the link: whoever keeps to it leaves nothing to the others. How even they are depends on
/// when within a round trip they began, so the median of a few seeds counts.
void expect_shares(int number, const char* wan, double apart) {
  constexpr std::uint64_t seeds = 5;
  std::vector<double> ratios;
  std::vector<double> drops;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Shares shared =
        shares({.number = number, .wan = wan, .told_megabits = 50}, link_of(50, 250'000), seed);
    ratios.push_back(shared.most / shared.least);
    drops.push_back(shared.drops);
  }
  EXPECT_LT(median_of(ratios), apart) << number << " jobs, " << wan;
  EXPECT_LT(median_of(drops), 0.01) << number << " jobs, " << wan;
}

TEST(ToldRate, of_several_jobs_is_shared_without_drops) {
  expect_shares(2, "rtt=40ms", 2);
  expect_shares(4, "rtt=40ms", 3);
  expect_shares(4, "rtt=40ms,loss=10%", 3);
}

/// Delays do not vary there, but for the queue that the jobs fill: with the benefit of the doubt they dropped 37 %.
TEST(ToldRate, of_several_jobs_on_a_slow_link_is_shared_without_drops) {
  std::vector<double> drops;
  std::vector<double> ratios;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Shares shared =
        shares({.wan = "rtt=100ms", .told_megabits = 10, .settle = 4s}, link_of(10, 125'000), seed);
    drops.push_back(shared.drops);
    ratios.push_back(shared.most / shared.least);
  }
  EXPECT_LT(median_of(drops), 0.01);
  EXPECT_LT(median_of(ratios), 4);
}

/// Three quarters and more were lost for good: what all lose alike looked like the paths' own loss.
TEST(ToldRate, of_several_jobs_does_not_flood_a_queue_that_is_too_short_to_be_seen) {
  std::vector<double> drops;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto link = std::make_shared<Bottleneck>(
        BottleneckSpec{.rate = megabits_per_second(50), .queue_bytes = 25'000, .exact = false});
    drops.push_back(shares({.told_megabits = 50, .settle = 5s}, link, seed).drops);
  }
  EXPECT_LT(median_of(drops), 0.3);
}

/// Who comes later may have less for seconds, but has something, nearly whenever it came.
TEST(ToldRate, of_several_jobs_starves_hardly_anybody) {
  std::vector<double> ratios;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Shares shared = shares({.told_megabits = 50}, link_of(50, 250'000), seed);
    ratios.push_back(shared.most / shared.least);
  }
  EXPECT_LE(std::ranges::count_if(ratios, [](double ratio) { return ratio > 6; }), 2);
  EXPECT_LT(median_of(ratios), 2.5);
}

/// Four ranks, 1 MiB for each pair, told 100 Mbit/s on uplinks of `megabits`.
void expect_little_more_than_the_payload(double megabits, const char* wan, double seconds) {
  SimulationConfig config = planned_job(4, wan, 100);
  config.topology.hosts.assign(4, {});
  for (auto& host : config.topology.hosts)
    host.uplink = link_of(megabits);
  RunningJob job(config, all(1 << 20));
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= 22; }, start + 100s);
  const TrafficCounters traffic = job.traffic();
  const double wire =
      static_cast<double>(traffic.wire_bytes_sent) / static_cast<double>(traffic.payload_bytes_sent);
  EXPECT_LT(wire, 1.13 / (1 - config.wan.loss)) << wan;
  EXPECT_LT(drops(*config.topology.hosts[0].uplink), 0.03) << wan;
  EXPECT_LT(job.mean_seconds(2), seconds) << wan;
}

TEST(ToldRate, is_a_ceiling_where_the_network_carries_half_of_it) {
  expect_little_more_than_the_payload(50, "rtt=70ms", 0.65);
  expect_little_more_than_the_payload(50, "rtt=70ms,loss=10%", 0.8);
}

/// Bytes on the wire for each byte of payload that has to go, in a mean of seeds.
double wire_where_a_tenth_is_carried(double told, const char* wan, std::size_t bytes, std::uint64_t queue) {
  constexpr std::uint64_t seeds = 3;
  double wire = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SimulationConfig config = planned_job(4, wan, told);
    config.seed = seed;
    config.topology.hosts.assign(4, {});
    for (auto& host : config.topology.hosts)
      host.uplink = link_of(10, queue);
    RunningJob job(config, all(bytes));
    SharedTime time;
    time.add(job);
    time.run_until([&] { return job.supersteps() >= 22; }, start + 200s);
    const TrafficCounters traffic = job.traffic();
    wire += static_cast<double>(traffic.wire_bytes_sent) / static_cast<double>(traffic.payload_bytes_sent) *
            (1 - config.wan.loss) / seeds;
  }
  return wire;
}

/// A burst says at once how much less the link carries. Without that: 2.2, 1.5, 1.4, 2.5 and 3.7.
TEST(ToldRate, is_a_ceiling_where_the_network_carries_a_tenth_or_a_hundredth_of_it) {
  constexpr std::uint64_t long_queue = 512 << 10;
  constexpr std::uint64_t short_queue = 64 << 10;
  EXPECT_LT(wire_where_a_tenth_is_carried(100, "rtt=70ms", 1 << 20, long_queue), 1.12);
  EXPECT_LT(wire_where_a_tenth_is_carried(100, "rtt=20ms", 256 << 10, short_queue), 1.15);
  EXPECT_LT(wire_where_a_tenth_is_carried(100, "rtt=70ms,loss=10%", 256 << 10, long_queue), 1.25);
  EXPECT_LT(wire_where_a_tenth_is_carried(100, "rtt=70ms", 64 << 10, short_queue), 1.55);
  EXPECT_LT(wire_where_a_tenth_is_carried(1000, "rtt=70ms", 256 << 10, long_queue / 2), 1.15);
}

TEST(ToldRate, is_reached_where_the_network_carries_it) {
  for (const char* wan : {"rtt=70ms", "rtt=70ms,loss=10%", "rtt=70ms,loss=15%"})
    expect_little_more_than_the_payload(100, wan, 0.4);
}

/// A mean over seeds. At a rate that is kept it is 0.32 s and 0.40 s.
TEST(ToldRate, is_kept_where_delays_vary_and_where_losses_come_in_runs) {
  const auto seconds = [](const char* wan) {
    constexpr std::uint64_t seeds = 4;
    double mean = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      SimulationConfig config = planned_job(4, wan, 100);
      config.seed = seed;
      RunningJob job(config, all(1 << 20));
      SharedTime time;
      time.add(job);
      time.run_until([&] { return job.supersteps() >= 10; }, start + 100s);
      mean += job.mean_seconds(2) / seeds;
    }
    return mean;
  };
  EXPECT_LT(seconds("rtt=70ms,jitter=20ms"), 0.34);
  EXPECT_LT(seconds("rtt=70ms,loss=15%,burst=5"), 0.44);
}

/// Mbit/s of a cubic TCP that has been there for ten seconds, and somewhat longer, over the minute from ten seconds
/// after the start of something else, on a link of 100 Mbit/s and 40 ms.
template <class Beside>
double cubic_beside(std::uint64_t queue_bytes, Duration longer, Beside beside) {
  const auto link = link_of(100, queue_bytes);
  const Instant begin = start + 10s + longer;
  SharedTime time;
  TcpFlow cubic({CongestionControl::cubic, 40ms, start}, link);
  time.add(cubic);
  run_until(time, begin);
  const auto other = beside(link, begin);
  time.add(*other);
  run_until(time, begin + 10s);
  const std::uint64_t before = cubic.delivered_bytes();
  run_until(time, begin + 70s);
  return static_cast<double>(cubic.delivered_bytes() - before) * 8e-6 / 60;
}

/// A mean over beginnings: what a cubic keeps depends on where in its saw-tooth the other one comes.
template <class Beside>
double mean_of_cubic_beside(std::uint64_t queue_bytes, int beginnings, Beside beside) {
  double mean = 0;
  for (int i = 0; i < beginnings; ++i)
    mean += cubic_beside(queue_bytes, i * 37ms, beside) / beginnings;
  return mean;
}

void expect_most_is_left_to_a_cubic(std::uint64_t queue, int beginnings) {
  const double beside_cubic =
      mean_of_cubic_beside(queue, beginnings, [](const std::shared_ptr<Bottleneck>& link, Instant begin) {
        return std::make_unique<TcpFlow>(TcpFlow::Config{CongestionControl::cubic, 40ms, begin}, link);
      });
  const double beside_lbsp =
      mean_of_cubic_beside(queue, beginnings, [](const std::shared_ptr<Bottleneck>& link, Instant begin) {
        SimulationConfig config = planned_job(2, "rtt=40ms", 100);
        config.beginning = begin;
        config.topology.hosts = {{1, link, nullptr}, {1, nullptr, nullptr}};
        return std::make_unique<RunningJob>(config, all(1 << 20));
      });
  EXPECT_GT(beside_lbsp, 0.8 * beside_cubic) << "queue of " << queue << " bytes";
  EXPECT_LT(beside_lbsp, 90) << "queue of " << queue << " bytes";
}

TEST(ToldRate, leaves_a_cubic_tcp_most_of_what_another_would) {
  expect_most_is_left_to_a_cubic(500'000, 1);
  expect_most_is_left_to_a_cubic(4 * 500'000, 1);
}

TEST(ToldRate, leaves_a_cubic_tcp_most_in_a_short_queue) {
  expect_most_is_left_to_a_cubic(3 * 500'000 / 10, 4);
}

/// A rank whose losses are doubted does not send a quarter for a while, to see whether it keeps a queue full: it sends
/// a third of the time only. All would wait for it, once for each rank.
TEST(ToldRate, is_sent_at_in_short_supersteps_also_where_much_is_lost) {
  constexpr double bound = 0.0535;
  int slow = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SimulationConfig config = planned_job(4, "rtt=70ms,loss=15%", 100);
    config.seed = seed;
    for (Rank rank = 0; rank < config.size; ++rank)
      config.topology.hosts.push_back({1, link_of(100, 875'000), link_of(100, 875'000)});
    RunningJob job(config, all(64 << 10));
    SharedTime time;
    time.add(job);
    time.run_until([&] { return job.supersteps() >= 110; }, start + 60s);
    for (std::size_t superstep = 5; superstep < 110; ++superstep)
      slow += job.seconds(superstep) > 1.5 * bound ? 1 : 0;
  }
  EXPECT_LE(slow, 3) << "of 315";
}

}  // namespace
}  // namespace lbsp::plan
