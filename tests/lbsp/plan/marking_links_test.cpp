#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "lbsp/plan/model_planner.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// Jobs behind links that mark what finds a long queue (ECN), before they drop: 50 Mbit/s, with a queue of 42 ms that
/// marks from 5 ms on.
namespace lbsp::plan {
namespace {

using transport::start;
using namespace std::chrono_literals;
using namespace transport;
using EcnFault = FaultPlan::EcnFault;

constexpr double marking_megabits = 50;
constexpr std::size_t marked_message_bytes = 500 << 10;

struct Marking {
  const char* wan = "rtt=40ms";
  int jobs = 1;
  double told = 0;  ///< Mbit/s
  std::uint64_t mark_bytes = 32 << 10;
  EcnFault fault = EcnFault::none;
};

struct Marked {
  std::vector<double> megabits;  ///< of payload, of each job
  double drops = 0;
  double marks = 0;
  double late_queue = 0;  ///< ms: the 95th percentile
};

SimulationConfig config_of(const Marking& of, int number, std::uint64_t seed,
                           const std::shared_ptr<Bottleneck>& link) {
  SimulationConfig config;
  config.size = 2;
  config.seed = 10 * seed + static_cast<std::uint64_t>(number);
  config.wan = parse_wan_spec(of.wan);
  config.options.rate = megabits_per_second(of.told > 0 ? of.told : 100);
  config.options.find_rate = of.told == 0;
  config.planner = [](Rank) {
    return std::make_unique<ModelPlanner>(ExchangeOptions{.redundancy = Redundancy::automatic});
  };
  if (cipher_available(Cipher::aes256_gcm)) config.cipher = Cipher::aes256_gcm;
  config.faults.ecn = of.fault;
  config.beginning = start + number * 2s + seed * 3ms;
  config.topology.hosts = {{1, link, nullptr}, {1, nullptr, nullptr}};
  return config;
}

/// Five seconds, after the last job has been there for three.
Marked run(const Marking& of, std::uint64_t seed = 1) {
  const auto link = std::make_shared<Bottleneck>(BottleneckSpec{.rate = megabits_per_second(marking_megabits),
                                                                .queue_bytes = 256 << 10,
                                                                .exact = false,
                                                                .mark_bytes = of.mark_bytes});
  SharedTime time;
  const auto until = [&time](Instant bound) { time.run_until([] { return false; }, bound); };
  std::vector<std::unique_ptr<RunningJob>> jobs;
  for (int i = 0; i < of.jobs; ++i) {
    const SimulationConfig config = config_of(of, i, seed, link);
    until(config.beginning);
    jobs.push_back(std::make_unique<RunningJob>(
        config, [](Rank from, Rank) { return from == 0 ? marked_message_bytes : std::size_t{1000}; }));
    time.add(*jobs.back());
  }
  const auto received = [&](std::size_t i) {
    return static_cast<double>(jobs[i]->network().endpoint(1).counters().payload_bytes_received);
  };
  const Instant settled = start + (of.jobs - 1) * 2s + 3s;
  until(settled);
  const std::uint64_t dropped = link->drops();
  const std::uint64_t carried = link->datagrams();
  const std::uint64_t marked = link->marks();
  Marked result;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    result.megabits.push_back(-received(i) * 8e-6 / 5);
  std::vector<double> queues;
  for (Instant now = settled; now < settled + 5s; now += 5ms) {
    until(now);
    queues.push_back(1e3 * seconds(link->waiting(now)));
  }
  for (std::size_t i = 0; i < jobs.size(); ++i)
    result.megabits[i] += received(i) * 8e-6 / 5;
  std::ranges::sort(queues);
  result.late_queue = queues[queues.size() * 95 / 100];
  const auto passed = static_cast<double>(link->datagrams() - carried);
  const auto lost = static_cast<double>(link->drops() - dropped);
  result.drops = lost / (lost + passed);
  result.marks = static_cast<double>(link->marks() - marked) / passed;
  return result;
}

double without_marks(Marking of) {
  of.mark_bytes = 1 << 30;
  return run(of).megabits[0];
}

TEST(MarkingLinks, a_rate_is_found_without_drops_and_the_queue_is_short) {
  for (const double told : {0., 100.}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const Marked alone = run({.told = told}, seed);
      EXPECT_GT(alone.megabits[0], 0.9 * marking_megabits) << told;
      EXPECT_LT(alone.late_queue, 8) << told;
      EXPECT_LT(alone.drops, 0.001) << told;
      EXPECT_GT(alone.marks, 0) << told;
    }
  }
}

TEST(MarkingLinks, marks_at_a_queue_that_no_delay_shows_lower_the_rate) {
  const Marked alone = run({.mark_bytes = 6 << 10});
  EXPECT_GT(alone.megabits[0], 0.85 * marking_megabits);
  EXPECT_LT(alone.late_queue, 8);
}

/// Without marks, delays that vary hide the queue, until it drops.
TEST(MarkingLinks, a_rate_is_found_where_delays_vary) {
  const Marked alone = run({.wan = "rtt=70ms,jitter=10ms"});
  EXPECT_GT(alone.megabits[0], 0.8 * marking_megabits);
  EXPECT_LT(alone.drops, 0.001);
}

TEST(MarkingLinks, random_loss_does_not_matter) {
  const Marked alone = run({.wan = "rtt=40ms,loss=10%"});
  EXPECT_GT(alone.megabits[0], 0.9 * without_marks({.wan = "rtt=40ms,loss=10%"}));
  EXPECT_LT(alone.drops, 0.001);
}

TEST(MarkingLinks, four_jobs_share_one_without_drops) {
  const Marked four = run({.jobs = 4});
  EXPECT_GT(std::ranges::min(four.megabits), 4) << "12.5 are its share";
  EXPECT_LT(four.drops, 0.01);
  EXPECT_LT(four.late_queue, 20);
}

TEST(MarkingLinks, a_path_that_clears_or_sets_all_marks_or_a_host_that_does_not_tell_is_as_one_without) {
  const double without = without_marks({});
  for (const EcnFault fault : {EcnFault::cleared, EcnFault::all_marked, EcnFault::not_told})
    EXPECT_GT(run({.fault = fault}).megabits[0], 0.99 * without) << static_cast<int>(fault);
}

TEST(MarkingLinks, one_that_marks_whatever_waits_at_all_still_carries) {
  EXPECT_GT(run({.mark_bytes = 0}).megabits[0], 0.85 * marking_megabits);
}

}  // namespace
}  // namespace lbsp::plan
