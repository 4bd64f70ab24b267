// What planned redundancy costs where several ranks share their hosts' links, in virtual time: hosts of equal numbers
// of ranks behind uplinks and downlinks that carry just the same, of which the ranks are told or which they have to
// find. One line for each cell: the seconds of a superstep as planned, and with 1, 2 and 3 copies of everything; the
// transmissions of a segment as planned; the planned seconds over the least of the others.
//
//   redundancy_cells [--found] [--seeds N] [--part I --parts N] [--planned-only] [--only BEGINNING]

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/congestion/product_link.hpp"
#include "benchmarks/congestion/run_program.hpp"
#include "lbsp/plan/model_planner.hpp"
#include "tools/command_line/command_line.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

namespace lbsp::bench {
namespace {

using namespace std::chrono_literals;
using namespace transport;

constexpr std::size_t warm_up = 15;
constexpr std::size_t supersteps = 50;
constexpr int most_fixed_copies = 3;

struct Cell {
  Rank hosts;
  Rank ranks_per_host;
  double megabits;
  double round_trip_ms;
  double loss_percent;
  std::size_t bytes;  ///< for each pair

  std::string name() const {
    return fmt::format("{}x{} {} {} {} {}", hosts, ranks_per_host, megabits, round_trip_ms, loss_percent,
                       bytes);
  }
};

struct Chosen {
  bool found = false;
  bool planned_only = false;
  std::uint64_t seeds = 1;
  std::uint64_t part = 0;
  std::uint64_t parts = 1;
  std::string only = {};
};

SimulationConfig config_of(const Cell& cell, const ExchangeOptions& redundancy, bool found,
                           std::uint64_t seed) {
  SimulationConfig config;
  config.size = cell.hosts * cell.ranks_per_host;
  config.seed = seed;
  config.wan = parse_wan_spec(fmt::format("rtt={}ms,loss={}%", cell.round_trip_ms, cell.loss_percent));
  config.options.rate = megabits_per_second(found ? 100 : cell.megabits);
  config.options.find_rate = found;
  config.planner = [=](Rank) { return std::make_unique<plan::ModelPlanner>(redundancy); };
  if (cipher_available(Cipher::aes256_gcm)) config.cipher = Cipher::aes256_gcm;
  const auto link = [&] { return product_link(cell.megabits, cell.round_trip_ms); };
  for (Rank host = 0; host < cell.hosts; ++host)
    config.topology.hosts.push_back({cell.ranks_per_host, link(), link()});
  return config;
}

struct Outcome {
  double seconds = 0;
  double sent = 0;  ///< transmissions of a segment
};

Outcome outcome_of(const Cell& cell, const ExchangeOptions& redundancy, const Chosen& chosen) {
  Outcome mean;
  for (std::uint64_t seed = 1; seed <= chosen.seeds; ++seed) {
    RunningJob job(config_of(cell, redundancy, chosen.found, seed), [&](Rank, Rank) { return cell.bytes; });
    SharedTime time;
    time.add(job);
    time.run_until([&] { return job.supersteps() >= warm_up; }, Instant{1h});
    const TrafficCounters before = job.traffic();
    time.run_until([&] { return job.supersteps() >= supersteps; }, Instant{1h});
    const TrafficCounters traffic = job.traffic() - before;
    const auto first =
        traffic.segments_sent - traffic.copies_sent - traffic.coded_sent - traffic.segments_resent;
    mean.seconds += job.mean_seconds(warm_up) / static_cast<double>(chosen.seeds);
    mean.sent += static_cast<double>(traffic.segments_sent) /
                 static_cast<double>(std::max(first, std::uint64_t{1})) / static_cast<double>(chosen.seeds);
  }
  return mean;
}

std::vector<Cell> all_cells() {
  std::vector<Cell> cells;
  for (const auto& [hosts, ranks] : {std::pair{3, 4}, {2, 2}, {4, 1}, {6, 1}}) {
    for (const double megabits : {1., 5., 20., 100.}) {
      for (const double round_trip : {5., 20., 70.}) {
        for (const double loss : {0., 1., 5., 10.}) {
          for (const std::size_t bytes : {100U, 500U, 2000U, 16000U})
            cells.push_back({hosts, ranks, megabits, round_trip, loss, bytes});
        }
      }
    }
  }
  return cells;
}

void print_cells(const Chosen& chosen) {
  std::size_t number = 0;
  for (const Cell& cell : all_cells()) {
    const std::string name = cell.name();
    if (!name.starts_with(chosen.only) || number++ % chosen.parts != chosen.part) continue;
    const Outcome planned = outcome_of(cell, {.redundancy = Redundancy::automatic}, chosen);
    std::string line = fmt::format("{} {:.6f}", name, planned.seconds);
    double least = HUGE_VAL;
    for (int copies = 1; copies <= most_fixed_copies && !chosen.planned_only; ++copies) {
      const Outcome fixed = outcome_of(cell, {.redundancy = Redundancy::fixed, .copies = copies}, chosen);
      line += fmt::format(" {:.6f}", fixed.seconds);
      least = std::min(least, fixed.seconds);
    }
    fmt::print("{} {:.2f}", line, planned.sent);
    if (!chosen.planned_only) fmt::print(" {:.3f}", planned.seconds / least);
    fmt::print("\n");
    std::fflush(stdout);
  }
}

void run(const std::vector<std::string>& words) {
  Chosen chosen;
  command_line::CommandLine line("redundancy_cells",
                                 "Planned redundancy beside fixed copies on shared uplinks.", "");
  line.add_flag("--found", chosen.found, "the ranks have to find their rate");
  line.add_flag("--planned-only", chosen.planned_only, "nothing with fixed copies");
  line.add_whole("--seeds", chosen.seeds, {1, 10'000}, "how often each, with other losses");
  line.add_whole("--part", chosen.part, "of --parts, in which the cells are dealt out in turns; from 0");
  line.add_whole("--parts", chosen.parts, {1, 10'000}, "see --part");
  line.add("--only", chosen.only, "BEGINNING", "cells whose line begins so");
  if (line.parse(words)) print_cells(chosen);
}

}  // namespace
}  // namespace lbsp::bench

int main(int argc, char** argv) {
  return lbsp::bench::run_program(lbsp::bench::run, argc, argv);
}
