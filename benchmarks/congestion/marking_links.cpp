// How jobs fare behind a link that marks what waits (ECN) before it drops, beside one that only drops, in virtual time:
// what each job carries, the queue, drops and marks, in ten seconds after the last job has been there for four.
//
//   marking_links [--only BEGINNING] [--seed S]

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/congestion/run_program.hpp"
#include "lbsp/plan/model_planner.hpp"
#include "tools/command_line/command_line.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"
#include "transport/simulated/tcp_flow.hpp"

namespace lbsp::bench {
namespace {

using namespace std::chrono_literals;
using namespace transport;
using EcnFault = FaultPlan::EcnFault;

constexpr Instant start{1s};
constexpr double link_megabits = 50;

struct Cell {
  const char* name;
  int jobs;
  const char* wan;
  std::uint64_t queue_bytes;
  std::uint64_t mark_bytes;
  double told = 0;  ///< Mbit/s; 0: the rate has to be found
  std::size_t bytes = 500 << 10;
  bool cubic = false;  ///< beside the jobs, and marked as they are
  EcnFault fault = EcnFault::none;
};

struct Figures {
  std::vector<double> megabits;  ///< of each job
  double cubic = 0;
  double late_queue = 0;  ///< ms, the 95th percentile
  double drops = 0;
  double marks = 0;
  double wire = 0;  ///< bytes for each of payload
};

SimulationConfig job_of(const Cell& cell, int number, std::uint64_t seed,
                        const std::shared_ptr<Bottleneck>& link) {
  SimulationConfig config;
  config.size = 2;
  config.seed = 10 * seed + static_cast<std::uint64_t>(number);
  config.wan = parse_wan_spec(cell.wan);
  config.options.rate = megabits_per_second(cell.told > 0 ? cell.told : 100);
  config.options.find_rate = cell.told == 0;
  config.planner = [](Rank) {
    return std::make_unique<plan::ModelPlanner>(ExchangeOptions{.redundancy = Redundancy::automatic});
  };
  if (cipher_available(Cipher::aes256_gcm)) config.cipher = Cipher::aes256_gcm;
  config.faults.ecn = cell.fault;
  config.beginning = start + number * 2s + seed * 3ms;
  config.topology.hosts = {{1, link, nullptr}, {1, nullptr, nullptr}};
  return config;
}

Figures measure(const Cell& cell, bool marks, std::uint64_t seed) {
  const auto link = std::make_shared<Bottleneck>(
      BottleneckSpec{.rate = megabits_per_second(link_megabits),
                     .queue_bytes = cell.queue_bytes,
                     .exact = false,
                     .mark_bytes = marks ? std::optional(cell.mark_bytes) : std::nullopt});
  SharedTime time;
  const auto until = [&time](Instant bound) { time.run_until([] { return false; }, bound); };
  std::optional<TcpFlow> cubic;
  if (cell.cubic) {
    const Duration round_trip = parse_wan_spec(cell.wan).round_trip_time;
    cubic.emplace(
        TcpFlow::Config{
            .control = CongestionControl::cubic, .round_trip = round_trip, .start = start, .ecn = marks},
        link);
    time.add(*cubic);
  }
  std::vector<std::unique_ptr<RunningJob>> jobs;
  for (int i = 0; i < cell.jobs; ++i) {
    const SimulationConfig config = job_of(cell, i, seed, link);
    until(config.beginning);
    jobs.push_back(std::make_unique<RunningJob>(
        config, [&cell](Rank from, Rank) { return from == 0 ? cell.bytes : std::size_t{1000}; }));
    time.add(*jobs.back());
  }
  const Instant settled = start + (cell.jobs - 1) * 2s + 4s;
  constexpr Duration span = 10s;
  until(settled);
  const std::uint64_t dropped = link->drops();
  const std::uint64_t carried = link->datagrams();
  const std::uint64_t marked = link->marks();
  const std::uint64_t delivered = cubic ? cubic->delivered_bytes() : 0;
  std::vector<std::uint64_t> received;
  for (const auto& job : jobs)
    received.push_back(job->network().endpoint(1).counters().payload_bytes_received);
  std::vector<double> queues;
  for (Instant now = settled; now < settled + span; now += 5ms) {
    until(now);
    queues.push_back(std::chrono::duration<double, std::milli>(link->waiting(now)).count());
  }
  std::ranges::sort(queues);
  Figures figures;
  const auto megabits = [&](std::uint64_t bytes) {
    return 8e-6 * static_cast<double>(bytes) / std::chrono::duration<double>(span).count();
  };
  TrafficCounters all;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    figures.megabits.push_back(
        megabits(jobs[i]->network().endpoint(1).counters().payload_bytes_received - received[i]));
    all += jobs[i]->traffic();
  }
  if (cubic) figures.cubic = megabits(cubic->delivered_bytes() - delivered);
  figures.late_queue = queues[queues.size() * 95 / 100];
  const auto passed = static_cast<double>(link->datagrams() - carried);
  figures.drops =
      static_cast<double>(link->drops() - dropped) / (passed + static_cast<double>(link->drops() - dropped));
  figures.marks = static_cast<double>(link->marks() - marked) / passed;
  figures.wire = static_cast<double>(all.wire_bytes_sent) / static_cast<double>(all.payload_bytes_sent);
  return figures;
}

void print(const Cell& cell, bool marks, std::uint64_t seed) {
  const Figures figures = measure(cell, marks, seed);
  std::string shares;
  for (const double each : figures.megabits)
    shares += fmt::format("{}{:.1f}", shares.empty() ? "" : " ", each);
  if (cell.cubic) shares += fmt::format(" + {:.1f}", figures.cubic);
  fmt::print("{:<52} {:<6} {:<32} {:>8.1f} {:>8.2f}% {:>8.2f}% {:>6.2f}\n", cell.name,
             marks ? "marks" : "drops", shares, figures.late_queue, 100 * figures.drops, 100 * figures.marks,
             figures.wire);
  std::fflush(stdout);
}

constexpr std::uint64_t kibibyte = 1 << 10;
/// At 50 Mbit/s, 42 ms and 5 ms.
constexpr std::uint64_t usual_queue = 256 * kibibyte;
constexpr std::uint64_t usual_mark = 32 * kibibyte;

std::vector<Cell> cells() {
  return {
      {"one job, found", 1, "rtt=40ms", usual_queue, usual_mark},
      {"one job, told twice the rate", 1, "rtt=40ms", usual_queue, usual_mark, 100},
      {"one job, found, 10 %", 1, "rtt=40ms,loss=10%", usual_queue, usual_mark},
      {"one job, found, marks at 1 ms", 1, "rtt=40ms", usual_queue, 6 * kibibyte},
      {"one job, found, marks at 20 ms", 1, "rtt=40ms", usual_queue, 122 * kibibyte},
      {"one job, found, jitter of 10 ms", 1, "rtt=70ms,jitter=10ms", usual_queue, usual_mark},
      {"one job, told twice the rate, jitter of 10 ms", 1, "rtt=70ms,jitter=10ms", usual_queue, usual_mark,
       100},
      {"one job, found, RTT 5 ms", 1, "rtt=5ms", usual_queue, usual_mark},
      {"two jobs, found", 2, "rtt=40ms", usual_queue, usual_mark},
      {"four jobs, found", 4, "rtt=40ms", usual_queue, usual_mark},
      {"four jobs, found, 10 %", 4, "rtt=40ms,loss=10%", usual_queue, usual_mark},
      {"four jobs, told", 4, "rtt=40ms", usual_queue, usual_mark, 50},
      {"four jobs, found, a queue of 4 ms", 4, "rtt=40ms", 25'000, 10'000},
      {"four jobs, found, RTT 5 ms, a queue of 5 ms", 4, "rtt=5ms", 31'250, 10'000},
      {"one job, found, beside a cubic", 1, "rtt=40ms", usual_queue, usual_mark, 0, 500 << 10, true},
      {"one job, told, beside a cubic", 1, "rtt=40ms", usual_queue, usual_mark, 50, 500 << 10, true},
      {"one job, found, marks are cleared", 1, "rtt=40ms", usual_queue, usual_mark, 0, 500 << 10, false,
       EcnFault::cleared},
      {"one job, found, all is marked", 1, "rtt=40ms", usual_queue, usual_mark, 0, 500 << 10, false,
       EcnFault::all_marked},
      {"one job, found, nothing is told", 1, "rtt=40ms", usual_queue, usual_mark, 0, 500 << 10, false,
       EcnFault::not_told},
      {"one job, found, all that waits is marked", 1, "rtt=40ms", usual_queue, 0},
  };
}

void run(const std::vector<std::string>& words) {
  std::string only;
  std::uint64_t seed = 1;
  command_line::CommandLine line("marking_links", "Jobs behind links that mark what waits.", "");
  line.add("--only", only, "BEGINNING", "the cells whose names begin so");
  line.add_whole("--seed", seed, "of the network's chances");
  if (!line.parse(words)) return;
  fmt::print("{:<52} {:<6} {:<32} {:>8} {:>9} {:>9} {:>6}\n", "", "", "Mbit/s", "queue ms", "dropped",
             "marked", "wire");
  for (const Cell& cell : cells()) {
    if (!std::string(cell.name).starts_with(only)) continue;
    for (const bool marks : {false, true})
      print(cell, marks, seed);
  }
}

}  // namespace
}  // namespace lbsp::bench

int main(int argc, char** argv) {
  return lbsp::bench::run_program(lbsp::bench::run, argc, argv);
}
