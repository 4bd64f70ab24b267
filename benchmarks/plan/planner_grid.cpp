// What planned redundancy costs beside every fixed number of copies, in the simulated network and in virtual
// time: all-to-all supersteps over networks of different losses and delays, 100 Mbit/s. Says which fixed k
// was best, how much longer (or shorter) the planned supersteps took, and how well the planner foresaw it.
//
//   planner_grid [--full]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "benchmarks/model/simulated_supersteps.hpp"
#include "lbsp/plan/model_planner.hpp"

namespace lbsp::bench {
namespace {

using transport::Redundancy;

constexpr int most_fixed_copies = 8;
constexpr double rate_megabits = 100;

struct Cell {
  int round_trip_ms = 70;
  double loss = 0.1;
  int ranks = 4;
  std::size_t bytes = 0;
};

transport::SimulationConfig config_of(const Cell& cell) {
  transport::SimulationConfig config;
  config.size = cell.ranks;
  config.options.rate = transport::megabits_per_second(rate_megabits);
  config.wan.loss = cell.loss;
  config.wan.round_trip_time = std::chrono::milliseconds{cell.round_trip_ms};
  if (cipher_available(transport::Cipher::aes256_gcm)) config.cipher = transport::Cipher::aes256_gcm;
  return config;
}

struct Outcome {
  Mean seconds;
  double forecast = 0;
};

/// With a planner, the first supersteps teach it the paths: they do not count.
Outcome run(const Cell& cell, const transport::ExchangeOptions& options, const Effort& effort) {
  transport::SimulationConfig config = config_of(cell);
  config.options.redundancy = options.redundancy;
  config.options.copies = options.copies;
  if (options.redundancy != Redundancy::fixed) {
    config.planner = [options](Rank) { return plan::make_planner(options); };
  }
  SimulatedSupersteps job(config, Pattern::all_to_all, cell.bytes);
  const Measurement measured = measure(job, effort);
  return {measured.seconds, job.forecast_seconds()};
}

class Table {
 public:
  Table() {
    fmt::print("{:>4} {:>5} {:>3} {:>8} {:>6} {:>9} {:>6} {:>9} {:>6} {:>7} {:>9} {:>7}\n", "RTT", "loss",
               "n", "bytes", "best k", "ms", "± %", "auto ms", "± %", "ratio", "forecast", "error %");
  }

  void add(const Cell& cell, const Effort& effort) {
    transport::ExchangeOptions options;
    int best = 0;
    Outcome fixed;
    for (int copies = 1; copies <= most_fixed_copies; ++copies) {
      options.copies = copies;
      const Outcome outcome = run(cell, options, effort);
      if (best > 0 && outcome.seconds.value >= fixed.seconds.value) continue;
      best = copies;
      fixed = outcome;
    }
    options.redundancy = Redundancy::automatic;
    const Outcome planned = run(cell, options, effort);
    const double ratio = planned.seconds.value / fixed.seconds.value;
    const double error = planned.forecast / planned.seconds.value - 1;
    fmt::print(
        "{:>4} {:>5.2g} {:>3} {:>8} {:>6} {:>9.2f} {:>6.2f} {:>9.2f} {:>6.2f} {:>7.3f} {:>9.2f} {:>+7.1f}\n",
        cell.round_trip_ms, cell.loss, cell.ranks, cell.bytes, best, 1e3 * fixed.seconds.value,
        percent(fixed.seconds), 1e3 * planned.seconds.value, percent(planned.seconds), ratio,
        1e3 * planned.forecast, 100 * error);
    std::fflush(stdout);
    ratios_.push_back(ratio);
    errors_.push_back(std::abs(error));
  }

  void print_summary() {
    std::sort(ratios_.begin(), ratios_.end());
    std::sort(errors_.begin(), errors_.end());
    fmt::print(
        "{} cells: planned / best fixed: median {:.3f}, worst {:.3f}; forecast's error: median {:.1f} %, "
        "worst "
        "{:.1f} %\n",
        ratios_.size(), ratios_[ratios_.size() / 2], ratios_.back(), 100 * errors_[errors_.size() / 2],
        100 * errors_.back());
  }

 private:
  static double percent(const Mean& mean) { return 100 * mean.standard_error / mean.value; }

  std::vector<double> ratios_;
  std::vector<double> errors_;
};

int run_all(bool full) {
  const Effort effort{0.01, full ? 20 : 10, 3000, full ? 4. : 1.};
  Table table;
  for (const int round_trip : {20, 70}) {
    for (const double loss : {0.01, 0.05, 0.1, 0.15, 0.3}) {
      for (const int ranks : {4, 9, 16}) {
        for (const std::size_t bytes :
             {std::size_t{0}, std::size_t{1} << 10, std::size_t{64} << 10, std::size_t{1} << 20}) {
          if (!full && static_cast<double>(bytes) * ranks * ranks > 2e7) continue;
          table.add({round_trip, loss, ranks, bytes}, effort);
        }
      }
    }
  }
  table.print_summary();
  return 0;
}

}  // namespace
}  // namespace lbsp::bench

int main(int argc, char** argv) {
  const bool full = argc == 2 && std::strcmp(argv[1], "--full") == 0;
  if (argc > 1 && !full) {
    fmt::print(stderr, "lbsp: {} is not an option: choose --full, or none\n", argv[1]);
    return 2;
  }
  return lbsp::bench::run_all(full);
}
