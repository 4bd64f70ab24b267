// What planned redundancy costs beside every fixed number of copies, in the simulated network and in virtual
// time: supersteps over networks of different losses and delays, 100 Mbit/s. Says which fixed k
// was best, how much longer (or shorter) the planned supersteps took, and how well the planner foresaw it.
//
//   planner_grid [--full] [--every N] [--planned-only] [--ring]
//
// All ranks send to all; with --ring each sends to the next, and the others get an empty message.
// --every N measures each N-th cell only; --planned-only leaves the fixed copies out, so that two planners
// can be compared: the same losses meet both.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
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
  Pattern pattern = Pattern::all_to_all;
};

transport::SimulationConfig config_of(const Cell& cell) {
  transport::SimulationConfig config;
  config.size = cell.ranks;
  config.options.rate = transport::megabits_per_second(rate_megabits);
  config.wan.loss = cell.loss;
  config.wan.round_trip_time = std::chrono::milliseconds{cell.round_trip_ms};
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
    config.planner = [options](Rank) { return std::make_unique<plan::ModelPlanner>(options); };
  }
  SimulatedSupersteps job(config, cell.pattern, cell.bytes);
  const Measurement measured = measure(job, effort);
  return {measured.seconds, job.forecast_seconds()};
}

class Table {
 public:
  Table() {
    fmt::print("{:>4} {:>5} {:>3} {:>8} {:>6} {:>9} {:>6} {:>9} {:>6} {:>7} {:>9} {:>7}\n", "RTT", "loss",
               "n", "bytes", "best k", "ms", "± %", "auto ms", "± %", "ratio", "forecast", "error %");
  }

  void add(const Cell& cell, const Effort& effort, bool with_fixed) {
    transport::ExchangeOptions options;
    int best = 0;
    Outcome fixed;
    for (int copies = 1; with_fixed && copies <= most_fixed_copies; ++copies) {
      options.copies = copies;
      const Outcome outcome = run(cell, options, effort);
      if (best > 0 && outcome.seconds.value >= fixed.seconds.value) continue;
      best = copies;
      fixed = outcome;
    }
    options.redundancy = Redundancy::automatic;
    const Outcome planned = run(cell, options, effort);
    const double ratio = best == 0 ? 0 : planned.seconds.value / fixed.seconds.value;
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
    if (ratios_.empty()) return;
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
  static double percent(const Mean& mean) {
    return mean.value > 0 ? 100 * mean.standard_error / mean.value : 0;
  }

  std::vector<double> ratios_;
  std::vector<double> errors_;
};

struct Extent {
  bool full = false;
  int every = 1;
  bool with_fixed = true;
  Pattern pattern = Pattern::all_to_all;
};

int run_all(const Extent& extent) {
  // Two planners that are compared must meet the same supersteps, however busy the machine is.
  Effort effort{0.01, extent.full ? 20 : 10, 3000, extent.full ? 4. : 1.};
  if (!extent.with_fixed) effort = {0.01, 20, 200, 60};
  Table table;
  int index = 0;
  for (const int round_trip : {20, 70}) {
    for (const double loss : {0.01, 0.05, 0.1, 0.15, 0.3}) {
      for (const int ranks : {4, 9, 16}) {
        for (const std::size_t bytes :
             {std::size_t{0}, std::size_t{1} << 10, std::size_t{64} << 10, std::size_t{1} << 20}) {
          if (!extent.full && static_cast<double>(bytes) * ranks * ranks > 2e7) continue;
          if (index++ % extent.every == 0)
            table.add({round_trip, loss, ranks, bytes, extent.pattern}, effort, extent.with_fixed);
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
  lbsp::bench::Extent extent;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--full") {
      extent.full = true;
    } else if (option == "--planned-only") {
      extent.with_fixed = false;
    } else if (option == "--ring") {
      extent.pattern = lbsp::bench::Pattern::ring;
    } else if (option == "--every" && i + 1 < argc && std::atoi(argv[i + 1]) > 0) {
      extent.every = std::atoi(argv[++i]);
    } else {
      fmt::print(stderr,
                 "lbsp: {} is not an option: choose --full, --every N, --planned-only, --ring, or none\n",
                 option);
      return 2;
    }
  }
  return lbsp::bench::run_all(extent);
}
