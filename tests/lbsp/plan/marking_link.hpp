#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tests/lbsp/plan/planned_job.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"
#include "transport/simulated/tcp_flow.hpp"

namespace lbsp::plan {

/// Jobs of two ranks, of which one sends to the other superstep after superstep, behind a link of 50 Mbit/s that marks
/// what finds a long queue (ECN) before it drops. They begin two seconds after each other.
struct MarkingLink {
  static constexpr double link_megabits = 50;

  const char* wan = "rtt=40ms";
  int jobs = 1;
  double told = 0;                        ///< Mbit/s; 0: the rate has to be found
  std::uint64_t queue_bytes = 256 << 10;  ///< 42 ms
  std::uint64_t mark_bytes = 32 << 10;    ///< from 5 ms on
  bool marks = true;                      ///< or it only drops
  std::size_t message_bytes = 500 << 10;
  bool cubic = false;  ///< from the beginning, beside the jobs, and marked as they are
  transport::FaultPlan::EcnFault fault = transport::FaultPlan::EcnFault::none;
  /// When the last job has been there for so long …
  transport::Duration settling = std::chrono::seconds{3};
  /// … it is watched for so long.
  transport::Duration watched = std::chrono::seconds{5};
};

/// What was seen then.
struct BehindMarkingLink {
  std::vector<double> megabits;  ///< of payload, of each job
  double cubic = 0;              ///< Mbit/s
  double late_queue = 0;         ///< ms: the 95th percentile
  double drops = 0;              ///< of the datagrams that came to the link
  double marks = 0;              ///< of those that it carried
  double wire = 0;               ///< bytes for each of payload, from the beginning
};

inline transport::SimulationConfig job_behind(const MarkingLink& of, int number, std::uint64_t seed,
                                              const std::shared_ptr<transport::Bottleneck>& link) {
  using namespace transport;
  using namespace std::chrono_literals;
  SimulationConfig config = planned_job(2, of.wan, of.told);
  config.seed = 10 * seed + static_cast<std::uint64_t>(number);
  config.faults.ecn = of.fault;
  config.beginning = start + number * 2s + seed * 3ms;
  config.topology.hosts = {{1, link, nullptr}, {1, nullptr, nullptr}};
  return config;
}

inline BehindMarkingLink behind(const MarkingLink& of, std::uint64_t seed = 1) {
  using namespace transport;
  using namespace std::chrono_literals;
  const auto link = std::make_shared<Bottleneck>(
      BottleneckSpec{.rate = megabits_per_second(MarkingLink::link_megabits),
                     .queue_bytes = of.queue_bytes,
                     .exact = false,
                     .mark_bytes = of.marks ? std::optional(of.mark_bytes) : std::nullopt});
  SharedTime time;
  const auto until = [&time](Instant bound) { time.run_until([] { return false; }, bound); };
  std::optional<TcpFlow> cubic;
  if (of.cubic) {
    cubic.emplace(TcpFlow::Config{.control = CongestionControl::cubic,
                                  .round_trip = parse_wan_spec(of.wan).round_trip_time,
                                  .start = start,
                                  .ecn = of.marks},
                  link);
    time.add(*cubic);
  }
  std::vector<std::unique_ptr<RunningJob>> jobs;
  for (int i = 0; i < of.jobs; ++i) {
    const SimulationConfig config = job_behind(of, i, seed, link);
    until(config.beginning);
    jobs.push_back(std::make_unique<RunningJob>(config, [bytes = of.message_bytes](Rank from, Rank) {
      return from == 0 ? bytes : std::size_t{1000};
    }));
    time.add(*jobs.back());
  }
  // Bytes that have arrived: of each job, and of the cubic.
  const auto arrived = [&] {
    std::vector<std::uint64_t> bytes;
    for (const auto& job : jobs)
      bytes.push_back(job->network().endpoint(1).counters().payload_bytes_received);
    bytes.push_back(cubic ? cubic->delivered_bytes() : 0);
    return bytes;
  };
  const Instant settled = start + (of.jobs - 1) * 2s + of.settling;
  until(settled);
  const auto arrived_before = arrived();
  const std::uint64_t dropped = link->drops();
  const std::uint64_t carried = link->datagrams();
  const std::uint64_t marked = link->marks();
  std::vector<double> queues;
  for (Instant now = settled; now < settled + of.watched; now += 5ms) {
    until(now);
    queues.push_back(1e3 * seconds(link->waiting(now)));
  }
  std::ranges::sort(queues);

  BehindMarkingLink seen;
  const auto arrived_now = arrived();
  for (std::size_t i = 0; i < arrived_now.size(); ++i)
    seen.megabits.push_back(8e-6 * static_cast<double>(arrived_now[i] - arrived_before[i]) /
                            seconds(of.watched));
  seen.cubic = seen.megabits.back();
  seen.megabits.pop_back();
  seen.late_queue = queues[queues.size() * 95 / 100];
  const auto passed = static_cast<double>(link->datagrams() - carried);
  const auto lost = static_cast<double>(link->drops() - dropped);
  seen.drops = lost / (lost + passed);
  seen.marks = static_cast<double>(link->marks() - marked) / passed;
  TrafficCounters all;
  for (const auto& job : jobs)
    all += job->traffic();
  seen.wire = static_cast<double>(all.wire_bytes_sent) / static_cast<double>(all.payload_bytes_sent);
  return seen;
}

}  // namespace lbsp::plan
