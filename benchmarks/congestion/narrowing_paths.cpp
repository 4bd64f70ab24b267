// How much time a job loses when its paths come to carry shorter datagrams while it runs, in round trips and in virtual
// time: every rank sends the same bytes to every other, over an uplink and a downlink of its own of 100 Mbit/s. Either
// nobody says that the path has become narrow (a filter), or a router does. Lost is what the supersteps from the one in
// which it happens take longer than as many later ones, or earlier ones if these are longer. The median, the mean and
// the worst of the seeds, in each of which it happens at another moment.
//
//   narrowing_paths [--seeds N] [--ranks N] [--told] [--only BEGINNING]
//
// --only: of the cells, those whose names begin so: "9000 1500 1024 50".

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "benchmarks/congestion/run_program.hpp"
#include "lbsp/plan/model_planner.hpp"
#include "tools/command_line/command_line.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

namespace lbsp::bench {
namespace {

using namespace std::chrono_literals;
using namespace transport;

constexpr double megabits = 100;
constexpr std::size_t headers = 28;  ///< of IPv4 and UDP
constexpr std::size_t affected = 6;  ///< supersteps, all that may lose time
constexpr std::size_t compared = 10;

struct Way {
  Rank ranks = 2;
  bool told = false;
};

struct Cell {
  std::size_t wide;  ///< the MTU before …
  std::size_t narrow;
  double round_trip_ms;
  double loss;
  std::size_t bytes;
  bool heard;
};

std::string name_of(const Cell& cell) {
  return fmt::format("{} {} {} {} {}% {}", cell.wide, cell.narrow, cell.bytes, cell.round_trip_ms,
                     100 * cell.loss, cell.heard ? "router" : "filter");
}

SimulationConfig config_of(const Cell& cell, const Way& way, Duration falls, std::uint64_t seed) {
  SimulationConfig config;
  config.size = way.ranks;
  config.seed = seed;
  config.wan = parse_wan_spec(fmt::format("rtt={}ms,loss={}%", cell.round_trip_ms, 100 * cell.loss));
  config.options.rate = megabits_per_second(megabits);
  config.options.find_rate = !way.told;
  config.options.find_datagram = true;
  config.options.datagram_bytes = cell.wide - headers;
  config.planner = [](Rank) {
    return std::make_unique<plan::ModelPlanner>(ExchangeOptions{.redundancy = Redundancy::automatic});
  };
  if (cipher_available(Cipher::aes256_gcm)) config.cipher = Cipher::aes256_gcm;
  config.faults.narrowings.push_back({.begin = falls, .bytes = cell.narrow - headers, .heard = cell.heard});
  const double queue = std::max(megabits * 125 * cell.round_trip_ms, 65536.);
  const auto link = [&] {
    return std::make_shared<Bottleneck>(
        BottleneckSpec{megabits_per_second(megabits), static_cast<std::uint64_t>(queue)});
  };
  for (Rank rank = 0; rank < way.ranks; ++rank)
    config.topology.hosts.push_back({1, link(), link()});
  return config;
}

double mean_seconds(const RunningJob& job, std::size_t first, std::size_t count) {
  double sum = 0;
  for (std::size_t i = first; i < first + count; ++i)
    sum += job.seconds(i);
  return sum / static_cast<double>(count);
}

double lost_round_trips(const Cell& cell, const Way& way, std::uint64_t seed) {
  const double round_trip = cell.round_trip_ms / 1e3;
  // Long enough to have found rate and length; no two at the same place of a superstep.
  constexpr double golden = 0.6180339887;
  const double falls = 2 + 40 * round_trip + golden * static_cast<double>(seed);
  const SimulationConfig config =
      config_of(cell, way, Duration{static_cast<std::int64_t>(1e9 * falls)}, seed);
  RunningJob job(config, [&](Rank, Rank) { return cell.bytes; });
  SharedTime time;
  time.add(job);
  const Instant at = config.beginning + config.faults.narrowings.front().begin;
  time.run_until([&] { return job.network().now() >= at; }, at + 1s);
  const std::size_t first = job.supersteps();
  const std::size_t settled = first + affected + compared;
  time.run_until([&] { return job.supersteps() >= settled + compared; }, at + 1h);
  const double usual =
      std::max(mean_seconds(job, first - compared - 1, compared), mean_seconds(job, settled, compared));
  return affected * (mean_seconds(job, first, affected) - usual) / round_trip;
}

void print(const Cell& cell, const Way& way, std::uint64_t seeds) {
  std::vector<double> lost;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    lost.push_back(lost_round_trips(cell, way, seed));
  std::ranges::sort(lost);
  fmt::print("{:<35} {:>7.2f} {:>7.2f} {:>7.2f}\n", name_of(cell), lost[lost.size() / 2],
             std::accumulate(lost.begin(), lost.end(), 0.) / static_cast<double>(lost.size()), lost.back());
  std::fflush(stdout);
}

std::vector<Cell> all_cells() {
  std::vector<Cell> cells;
  for (const auto& [wide, narrow] : {std::pair{9000U, 1500U}, {1500U, 1280U}, {1400U, 576U}}) {
    for (const std::size_t kibibytes : {1U, 16U, 64U, 1024U}) {
      for (const double round_trip : {10., 50., 150.}) {
        for (const double loss : {0., 0.1}) {
          for (const bool heard : {false, true})
            cells.push_back({wide, narrow, round_trip, loss, kibibytes << 10, heard});
        }
      }
    }
  }
  return cells;
}

void run(const std::vector<std::string>& words) {
  std::uint64_t seeds = 20;
  std::uint64_t ranks = 2;
  Way way;
  std::string only;
  command_line::CommandLine line("narrowing_paths", "What it costs that a path becomes narrow.", "");
  line.add_whole("--seeds", seeds, {1, 10'000}, "how often each, at another moment");
  line.add_whole("--ranks", ranks, {2, 1000}, "how many, each on a host of its own");
  line.add_flag("--told", way.told, "the rate is told, and need not be found");
  line.add("--only", only, "BEGINNING", "the cells whose names begin so");
  if (!line.parse(words)) return;
  way.ranks = static_cast<Rank>(ranks);
  fmt::print("{:<35} {:>7} {:>7} {:>7}\n", "MTU before, then, bytes, RTT ms, loss", "median", "mean",
             "worst");
  for (const Cell& cell : all_cells()) {
    if (name_of(cell).starts_with(only)) print(cell, way, seeds);
  }
}

}  // namespace
}  // namespace lbsp::bench

int main(int argc, char** argv) {
  return lbsp::bench::run_program(lbsp::bench::run, argc, argv);
}
