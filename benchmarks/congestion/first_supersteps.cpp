// How far a job's first superstep is from its bound, in virtual time, while nothing is known of any path: every rank
// sends the same bytes to every other, over an uplink and a downlink of its own. The bound is half a round trip, and
// what a rank's datagrams take at the links' rate, or the one that it begins with, over 1 - loss. The mean of the
// seeds, the worst, and for comparison the mean of the sixth to the tenth superstep, when the paths are known.
//
//   first_supersteps [--seeds N]

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>
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

struct Cell {
  double megabits;  ///< of the links; a rate that is looked for begins with 100
  bool told;
  double round_trip_ms;
  double loss;
  std::size_t bytes;
  Rank ranks;
};

constexpr double found_at_first = 100;
constexpr std::size_t longest_datagram = 1472;

SimulationConfig config_of(const Cell& cell, std::uint64_t seed) {
  SimulationConfig config;
  config.size = cell.ranks;
  config.seed = seed;
  config.wan = parse_wan_spec(fmt::format("rtt={}ms,loss={}%", cell.round_trip_ms, 100 * cell.loss));
  config.options.rate = megabits_per_second(cell.told ? cell.megabits : found_at_first);
  config.options.find_rate = !cell.told;
  config.options.find_datagram = true;
  config.options.datagram_bytes = longest_datagram;
  config.planner = [](Rank) {
    return std::make_unique<plan::ModelPlanner>(ExchangeOptions{.redundancy = Redundancy::automatic});
  };
  if (cipher_available(Cipher::aes256_gcm)) config.cipher = Cipher::aes256_gcm;
  const auto link = [&] { return product_link(cell.megabits, cell.round_trip_ms); };
  for (Rank rank = 0; rank < cell.ranks; ++rank)
    config.topology.hosts.push_back({1, link(), link()});
  return config;
}

double bound(const Cell& cell) {
  constexpr std::size_t segment = base_datagram_bytes - data_overhead_bytes;
  const std::size_t segments = std::max<std::size_t>(1, (cell.bytes + segment - 1) / segment);
  const double bytes = (cell.ranks - 1) * static_cast<double>(cell.bytes + segments * data_overhead_bytes);
  const double megabits = cell.told ? cell.megabits : std::min(cell.megabits, found_at_first);
  return cell.round_trip_ms / 2e3 + bytes / (megabits * 125e3) / (1 - cell.loss);
}

struct Taken {
  double first;
  double known;
};

Taken taken(const Cell& cell, std::uint64_t seed) {
  constexpr std::size_t known_from = 5;
  constexpr std::size_t supersteps = 10;
  RunningJob job(config_of(cell, seed), [&](Rank, Rank) { return cell.bytes; });
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= supersteps; }, Instant{1h});
  return {job.seconds(0), job.mean_seconds(known_from)};
}

void print(const Cell& cell, std::uint64_t seeds) {
  Taken sum{};
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Taken each = taken(cell, seed);
    sum = {sum.first + each.first, sum.known + each.known};
    worst = std::max(worst, each.first);
  }
  const double least = bound(cell);
  const auto count = static_cast<double>(seeds);
  fmt::print("{:>6g} {:>5} {:>6g} {:>4g}% {:>8} {:>5} {:>9.1f} {:>6.2f} {:>6.2f} {:>6.2f}\n", cell.megabits,
             cell.told ? "told" : "found", cell.round_trip_ms, 100 * cell.loss, cell.bytes, cell.ranks,
             1e3 * least, sum.first / count / least, worst / least, sum.known / count / least);
  std::fflush(stdout);
}

void run(const std::vector<std::string>& words) {
  std::uint64_t seeds = 10;
  command_line::CommandLine line("first_supersteps", "How far first supersteps are from their bounds.", "");
  line.add_whole("--seeds", seeds, {1, 10'000}, "how often each, with other losses");
  if (!line.parse(words)) return;
  fmt::print("{:>6} {:>5} {:>6} {:>5} {:>8} {:>5} {:>9} {:>6} {:>6} {:>6}\n", "Mbit/s", "rate", "RTT ms",
             "loss", "bytes", "ranks", "bound ms", "first", "worst", "known");
  for (const auto& [megabits, told] : {std::pair{100., true}, {100., false}, {50., false}}) {
    for (const double round_trip : {5., 20., 70.}) {
      for (const double loss : {0., 0.02, 0.1}) {
        for (const std::size_t kibibytes : std::initializer_list<std::size_t>{1, 16, 64}) {
          for (const Rank ranks : {2, 4, 16})
            print({megabits, told, round_trip, loss, kibibytes << 10, ranks}, seeds);
        }
      }
    }
  }
}

}  // namespace
}  // namespace lbsp::bench

int main(int argc, char** argv) {
  return lbsp::bench::run_program(lbsp::bench::run, argc, argv);
}
