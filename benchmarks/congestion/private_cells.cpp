// What a superstep takes where nobody else is on the links, in virtual time: every rank sends the same bytes to every
// other, each over an uplink and a downlink of its own that carry just the same, with loss or with delays that vary
// between the two. One line for each cell and seed, for benchmarks/congestion/compare_cells.py.
//
//   private_cells [--told] [--seeds N] [--only BEGINNING] [losses] [jitter]
//
// --only: of the cells, those whose line goes on so after its first word: "50 20 jitter=20ms".

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/congestion/product_link.hpp"
#include "benchmarks/congestion/run_program.hpp"
#include "lbsp/plan/model_planner.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

namespace lbsp::bench {
namespace {

using namespace std::chrono_literals;
using namespace transport;

constexpr std::size_t long_message = 1 << 20;
constexpr std::size_t warm_up = 2;

struct Cell {
  double megabits;
  double round_trip_ms;
  std::string_view chance;  ///< of loss or delays, as in --wan
  std::size_t bytes;        ///< for each pair
  Rank ranks;
};

SimulationConfig config_of(const Cell& cell, bool told, std::uint64_t seed) {
  SimulationConfig config;
  config.size = cell.ranks;
  config.seed = seed;
  config.wan = parse_wan_spec(fmt::format("rtt={}ms{}", cell.round_trip_ms, cell.chance));
  config.options.rate = megabits_per_second(cell.megabits);
  config.options.find_rate = !told;
  config.planner = [](Rank) {
    return std::make_unique<plan::ModelPlanner>(ExchangeOptions{.redundancy = Redundancy::automatic});
  };
  if (cipher_available(Cipher::aes256_gcm)) config.cipher = Cipher::aes256_gcm;
  const auto link = [&] { return product_link(cell.megabits, cell.round_trip_ms); };
  for (Rank rank = 0; rank < cell.ranks; ++rank)
    config.topology.hosts.push_back({1, link(), link()});
  return config;
}

/// Of the first two, and the mean of those after them.
struct Seconds {
  double first;
  double second;
  double later;
};

Seconds seconds_of(const Cell& cell, bool told, std::uint64_t seed) {
  RunningJob job(config_of(cell, told, seed), [&](Rank, Rank) { return cell.bytes; });
  SharedTime time;
  time.add(job);
  const std::size_t supersteps = warm_up + (cell.bytes >= long_message ? 6 : 10);
  time.run_until([&] { return job.supersteps() >= supersteps; }, Instant{1h});
  return {job.seconds(0), job.seconds(1), job.mean_seconds(warm_up)};
}

std::vector<Cell> cells_of(std::string_view group) {
  std::vector<std::string_view> chances{"", ",loss=2%", ",loss=10%"};
  if (group == "jitter") chances = {",jitter=1ms", ",jitter=5ms", ",jitter=20ms"};
  std::vector<Cell> cells;
  for (const auto& [megabits, round_trip] :
       {std::pair{10., 20.}, {50., 20.}, {100., 20.}, {50., 70.}, {100., 70.}, {200., 70.}, {100., 150.}}) {
    for (const std::string_view chance : chances) {
      for (const std::size_t bytes : {std::size_t{64} << 10, long_message}) {
        for (const Rank ranks : {2, 4, 8}) {
          const bool takes_long = bytes == long_message && (ranks == 8 || megabits < 50);
          if (!takes_long) cells.push_back({megabits, round_trip, chance, bytes, ranks});
        }
      }
    }
  }
  return cells;
}

struct Chosen {
  bool told = false;
  std::uint64_t seeds = 2;
  std::string_view only = {};
  std::vector<std::string_view> groups = {};
};

Chosen parse(const std::vector<std::string_view>& arguments) {
  Chosen chosen;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--told") {
      chosen.told = true;
    } else if (argument == "--seeds" && i + 1 < arguments.size()) {
      const std::string_view number = arguments[++i];
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), chosen.seeds);
      if (error != std::errc{} || end != number.data() + number.size() || chosen.seeds == 0)
        throw std::invalid_argument(fmt::format("--seeds {}: name a number of 1 or more", number));
    } else if (argument == "--only" && i + 1 < arguments.size()) {
      chosen.only = arguments[++i];
    } else if (argument == "losses" || argument == "jitter") {
      chosen.groups.push_back(argument);
    } else {
      throw std::invalid_argument(fmt::format(
          "there is no {}: name losses, jitter, --told, --seeds N or --only BEGINNING", argument));
    }
  }
  if (chosen.groups.empty()) chosen.groups = {"losses", "jitter"};
  return chosen;
}

std::string name_of(const Cell& cell) {
  return fmt::format("{} {} {} {} {}", cell.megabits, cell.round_trip_ms,
                     cell.chance.empty() ? "-" : cell.chance.substr(1), cell.bytes, cell.ranks);
}

void run(const Chosen& chosen) {
  for (const std::string_view group : chosen.groups) {
    for (const Cell& cell : cells_of(group)) {
      const std::string name = name_of(cell);
      if (!name.starts_with(chosen.only)) continue;
      for (std::uint64_t seed = 1; seed <= chosen.seeds; ++seed) {
        const Seconds taken = seconds_of(cell, chosen.told, seed);
        fmt::print("{} {} {} {:.6f} {:.6f} {:.6f}\n", chosen.told ? "told" : "found", name, seed, taken.first,
                   taken.second, taken.later);
        std::fflush(stdout);
      }
    }
  }
}

}  // namespace
}  // namespace lbsp::bench

int main(int argc, char** argv) {
  const auto run = [](const auto& words) {
    lbsp::bench::run(lbsp::bench::parse({words.begin(), words.end()}));
  };
  return lbsp::bench::run_program(run, argc, argv,
                                  "private_cells [--told] [--seeds N] [--only BEGINNING] [losses] [jitter]");
}
