// How supersteps fare behind the links of homes, offices, telephones and satellites, in virtual time: routers that keep
// their queues short (CoDel, PIE), rates that change every tenth of a second, radio that sends in bursts, and paths
// whose delay jumps every 15 seconds. For each: the mean and the 99th percentile of the supersteps after the first two,
// over what the payload's bytes take on the narrowest link, over 1 - loss, and half a round trip; the bytes on the wire
// for each byte of payload; the queue of the first host (95th percentile), and what links dropped and marked.
//
//   everyday_links [--only BEGINNING] [--seeds N]

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/congestion/run_program.hpp"
#include "lbsp/plan/model_planner.hpp"
#include "tools/command_line/command_line.hpp"
#include "transport/impairment/random.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"
#include "transport/simulated/tcp_flow.hpp"

namespace lbsp::bench {
namespace {

using namespace std::chrono_literals;
using namespace transport;

constexpr std::size_t warm_up = 2;

enum class Kind { steady, cellular, bursts, satellite };

struct Cell {
  std::string name;
  double megabits;  ///< of each host's uplink, in the mean
  ActiveQueueRule rule = ActiveQueueRule::none;
  bool marks = false;
  Rank hosts = 2;
  std::string wan = "rtt=40ms";
  std::size_t bytes = 100'000;  ///< from each rank to each other one
  Kind kind = Kind::steady;
  std::uint64_t queue_bytes = 256 << 10;
  bool cubic = false;  ///< beside it, at the first host's uplink
  double told = 0;     ///< Mbit/s; 0: the rate has to be found
};

constexpr double watched_seconds = 60;

/// A rate that wanders by up to a quarter every tenth of a second, between a quarter and four times its mean.
std::vector<BottleneckSpec::Change> wandering(double megabits, Instant beginning, std::uint64_t seed) {
  Random random(seed);
  std::vector<BottleneckSpec::Change> changes;
  double level = 0;
  for (double second = 0; second < watched_seconds; second += 0.1) {
    level = std::clamp(0.98 * level + 0.5 * (random.unit() - 0.5), -1.4, 1.4);
    changes.push_back(
        {beginning + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(second)),
         megabits_per_second(megabits * std::exp(level))});
  }
  return changes;
}

/// Nothing for 8 ms, then five times the mean for 2.
std::vector<BottleneckSpec::Change> in_bursts(double megabits, Instant beginning) {
  std::vector<BottleneckSpec::Change> changes;
  for (auto at = 0ms; at < 60s; at += 10ms) {
    changes.push_back({beginning + at, megabits_per_second(megabits * 1e-3)});
    changes.push_back({beginning + at + 8ms, megabits_per_second(5 * megabits)});
  }
  return changes;
}

SimulationConfig config_of(const Cell& cell, std::uint64_t seed) {
  SimulationConfig config;
  config.size = cell.hosts;
  config.seed = seed;
  config.wan = parse_wan_spec(cell.wan);
  config.options.find_rate = cell.told == 0;
  config.options.rate = megabits_per_second(cell.told > 0 ? cell.told : 100);
  config.planner = [](Rank) {
    return std::make_unique<plan::ModelPlanner>(ExchangeOptions{.redundancy = Redundancy::automatic});
  };
  for (Rank host = 0; host < cell.hosts; ++host) {
    BottleneckSpec link{megabits_per_second(cell.megabits), cell.queue_bytes};
    link.exact = false;
    link.rule = cell.rule;
    link.rule_marks = cell.marks;
    if (cell.kind == Kind::cellular)
      link.changes =
          wandering(cell.megabits, config.beginning, 100 * seed + static_cast<std::uint64_t>(host));
    if (cell.kind == Kind::bursts) link.changes = in_bursts(cell.megabits, config.beginning);
    config.topology.hosts.push_back({1, std::make_shared<Bottleneck>(link), nullptr});
  }
  if (cell.kind == Kind::satellite) {
    for (int i = 1; i < 8; ++i) {
      const Duration at = 15s * i - 7s;
      config.faults.detours.push_back({at, i % 2 == 1 ? 12ms : -12ms});
      config.faults.outages.push_back({FaultPlan::every, FaultPlan::every, at, at + 100ms});
    }
  }
  return config;
}

struct Figures {
  std::size_t supersteps = 0;
  double mean = 0;
  double late = 0;
  double wire = 0;
  double queue_ms = 0;
  double dropped = 0;
  double marked = 0;
  double cubic = 0;
};

/// Runs for a minute. Of 100 looks at the link's queue, 95 saw it no longer than this.
double run_for_a_minute(SharedTime& time, const Bottleneck& link, Instant beginning) {
  std::vector<double> waits;
  for (Instant now = beginning + 10ms; now < beginning + 60s; now += 10ms) {
    time.run_until([] { return false; }, now);
    if (now > beginning + 3s)
      waits.push_back(std::chrono::duration<double, std::milli>(link.waiting(now)).count());
  }
  std::ranges::sort(waits);
  return waits[95 * waits.size() / 100];
}

/// Over what the bytes and half a round trip take at the least.
void note_supersteps(Figures& figures, const RunningJob& job, const Cell& cell,
                     const SimulationConfig& config) {
  const double bound =
      static_cast<double>(cell.bytes) * (cell.hosts - 1) * 8e-6 / cell.megabits / (1 - config.wan.loss) +
      seconds(config.wan.round_trip_time) / 2;
  std::vector<double> each;
  for (std::size_t i = warm_up; i < job.supersteps(); ++i)
    each.push_back(job.seconds(i));
  figures.supersteps = job.supersteps();
  if (each.empty()) return;
  std::ranges::sort(each);
  figures.mean = job.mean_seconds(warm_up) / bound;
  figures.late = each[99 * (each.size() - 1) / 100] / bound;
  const TrafficCounters traffic = job.traffic();
  figures.wire =
      static_cast<double>(traffic.wire_bytes_sent) / static_cast<double>(traffic.payload_bytes_sent);
}

void note_links(Figures& figures, const SimulationConfig& config) {
  std::uint64_t all = 0, drops = 0, marks = 0;
  for (const auto& host : config.topology.hosts) {
    all += host.uplink->datagrams() + host.uplink->drops();
    drops += host.uplink->drops();
    marks += host.uplink->marks();
  }
  figures.dropped = 100.0 * static_cast<double>(drops) / static_cast<double>(all);
  figures.marked = 100.0 * static_cast<double>(marks) / static_cast<double>(all);
}

Figures figures_of(const Cell& cell, std::uint64_t seed) {
  const SimulationConfig config = config_of(cell, seed);
  const auto& link = config.topology.hosts.front().uplink;
  RunningJob job(config, [&](Rank, Rank) { return cell.bytes; });
  SharedTime time;
  std::unique_ptr<TcpFlow> flow;
  time.add(job);
  if (cell.cubic) {
    flow = std::make_unique<TcpFlow>(TcpFlow::Config{.control = CongestionControl::cubic,
                                                     .round_trip = config.wan.round_trip_time,
                                                     .start = config.beginning + 3s},
                                     link);
    time.add(*flow);
  }
  Figures figures;
  figures.queue_ms = run_for_a_minute(time, *link, config.beginning);
  note_supersteps(figures, job, cell, config);
  if (figures.mean == 0) return figures;  // too few to tell anything
  note_links(figures, config);
  if (flow) figures.cubic = static_cast<double>(flow->delivered_bytes()) * 8e-6 / 57;
  return figures;
}

std::vector<Cell> cells() {
  using enum ActiveQueueRule;
  std::vector<Cell> all;
  for (const double megabits : {2.0, 5.0, 10.0, 20.0, 50.0}) {
    for (const auto& [rule, marks, name] :
         {std::tuple{codel, false, "codel"}, std::tuple{codel, true, "codel marks"},
          std::tuple{pie, false, "pie"}}) {
      all.push_back({fmt::format("{} {} Mbit/s", name, megabits), megabits, rule, marks});
      all.push_back({fmt::format("{} {} Mbit/s, n=4", name, megabits), megabits, rule, marks, 4});
      if (megabits >= 10)
        all.push_back({fmt::format("{} {} Mbit/s, n=4, 5 %", name, megabits), megabits, rule, marks, 4,
                       "rtt=40ms,loss=5%"});
      all.push_back({fmt::format("{} {} Mbit/s, cubic", name, megabits), megabits, rule, marks, 2, "rtt=40ms",
                     100'000, Kind::steady, 256 << 10, true});
    }
  }
  for (const double megabits : {5.0, 20.0}) {
    for (const Rank hosts : {2, 4}) {
      for (const auto queue : {64, 256, 1024}) {
        all.push_back({fmt::format("cellular {} Mbit/s, n={}, {} KiB", megabits, hosts, queue), megabits,
                       none, false, hosts, "rtt=50ms,jitter=3ms", 100'000, Kind::cellular,
                       static_cast<std::uint64_t>(queue) << 10});
      }
      all.push_back({fmt::format("bursts {} Mbit/s, n={}", megabits, hosts), megabits, none, false, hosts,
                     "rtt=30ms", 100'000, Kind::bursts});
    }
  }
  all.push_back({"satellite 20 Mbit/s, n=2", 20, none, false, 2, "rtt=50ms,jitter=5ms,loss=1%", 100'000,
                 Kind::satellite});
  all.push_back({"satellite 20 Mbit/s, n=4", 20, none, false, 4, "rtt=50ms,jitter=5ms,loss=1%", 100'000,
                 Kind::satellite});
  all.push_back({"satellite codel 20 Mbit/s, n=4", 20, codel, false, 4, "rtt=50ms,jitter=5ms,loss=1%",
                 100'000, Kind::satellite});
  return all;
}

void print(const Cell& cell, std::uint64_t seeds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Figures f = figures_of(cell, seed);
    fmt::print("{:<40} {:>6} {:>7.2f} {:>7.2f} {:>7.2f} {:>8.1f} {:>8.2f} {:>8.2f} {:>8.2f}\n", cell.name,
               f.supersteps, f.mean, f.late, f.wire, f.queue_ms, f.dropped, f.marked, f.cubic);
    std::fflush(stdout);
  }
}

void run(const std::vector<std::string>& words) {
  std::string only;
  std::uint64_t seeds = 1;
  command_line::CommandLine line("everyday_links", "Supersteps behind everyday links.", "");
  line.add("--only", only, "BEGINNING", "the cells whose names begin so");
  line.add_whole("--seeds", seeds, "of the network's chances");
  if (!line.parse(words)) return;
  fmt::print("{:<40} {:>6} {:>7} {:>7} {:>7} {:>8} {:>8} {:>8} {:>8}\n", "", "steps", "mean", "p99", "wire",
             "queue ms", "dropped", "marked", "cubic");
  for (const Cell& cell : cells()) {
    if (std::string(cell.name).starts_with(only)) print(cell, seeds);
  }
}

}  // namespace
}  // namespace lbsp::bench

int main(int argc, char** argv) {
  return lbsp::bench::run_program(lbsp::bench::run, argc, argv);
}
