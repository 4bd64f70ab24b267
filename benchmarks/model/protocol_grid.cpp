// What the protocol costs in the simulated network beside what the model predicts, for all three recovery
// schemes. Everything runs in virtual time: a slow machine has fewer supersteps to average over, nothing
// else.
//
//   protocol_grid [--full] [--coded] [--csv FILE]
//
// With --coded: the cells with coded segments alone.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/model/protocol_cells.hpp"
#include "benchmarks/model/simulated_supersteps.hpp"
#include "lbsp/plan/model_planner.hpp"
#include "lbsp/plan/protocol.hpp"
#include "model/paper/rounds.hpp"
#include "model/superstep/prediction.hpp"

namespace lbsp::bench {
namespace {

using transport::Recovery;

constexpr double rate_megabits = 100;
// Sending a whole round again hardly ends if more rounds than these are expected.
constexpr double most_rounds = 40;
constexpr double most_round_segments = 3000;

constexpr double nine_of_ten = 0.9;

struct Prediction {
  double seconds = 0;
  double rounds = 0;
  std::optional<model::superstep::Spread> spread{};  ///< of nine supersteps in ten
};

Prediction predict(const Cell& cell, const transport::ExchangeOptions& options) {
  const double alpha = static_cast<double>(options.datagram_bytes) / options.rate.value;
  const double round_trip = cell.round_trip_ms * 1e-3;
  if (cell.recovery == Recovery::receiver) {
    const model::superstep::Superstep superstep{
        static_cast<double>(cell.ranks),
        {.round_trip = round_trip, .loss = cell.loss},
        {{static_cast<double>(cell.ranks - 1), cell.segments, alpha}}};
    const model::superstep::Protection protection{
        .copies = cell.copies, .repair_segments = std::max(cell.coded, 0), .coded = cell.coded >= 0};
    const auto spread = predict_spread(superstep, {&protection, 1}, plan::protocol(), nine_of_ten);
    return {spread.mean, 0, spread};
  }
  const double c = packets_of(cell);
  const double rounds =
      cell.recovery == Recovery::rounds
          ? model::paper::expected_rounds(model::paper::Scheme::rounds, cell.loss, cell.copies, c).value()
          : model::paper::expected_rounds_whole_round_by_rank(cell.loss, cell.copies, c, cell.ranks).value();
  const double tau = model::paper::half_round_timeout(cell.copies, c / cell.ranks, alpha, round_trip);
  return {2 * tau * rounds, rounds};
}

transport::SimulationConfig config_of(const Cell& cell) {
  transport::SimulationConfig config;
  config.size = cell.ranks;
  config.options.copies = cell.copies;
  config.options.recovery = cell.recovery;
  config.options.rate = transport::megabits_per_second(rate_megabits);
  config.wan.loss = cell.loss;
  config.wan.round_trip_time = std::chrono::milliseconds{cell.round_trip_ms};
  if (cell.coded >= 0) config.options.repair_segments = cell.coded;
  config.planner = [options = config.options](Rank) { return std::make_unique<plan::ModelPlanner>(options); };
  return config;
}

std::vector<Cell> cells_of(const Grid& grid, Recovery recovery) {
  std::vector<Cell> cells;
  for (const int round_trip : grid.round_trips_ms)
    for (const int ranks : grid.ranks)
      for (const int segments : grid.segments)
        for (const int copies : grid.copies)
          for (const double loss : grid.losses) {
            const Cell cell{recovery, round_trip, ranks, segments, copies, loss};
            if (packets_of(cell) > grid.most_segments) continue;
            if (recovery != Recovery::receiver) {
              if (round_trip != grid.round_trips_ms.back() || packets_of(cell) > most_round_segments)
                continue;
              if (predict(cell, config_of(cell).options).rounds > most_rounds) continue;
            }
            cells.push_back(cell);
          }
  return cells;
}

/// Which share of the supersteps lies within the predicted interval.
double share_within(const model::superstep::Spread& spread, const std::vector<double>& seconds) {
  const auto count =
      std::ranges::count_if(seconds, [&](double each) { return each >= spread.from && each <= spread.to; });
  return static_cast<double>(count) / static_cast<double>(seconds.size());
}

/// Errors of the predictions, relative to what was measured.
class Errors {
 public:
  void add(double predicted, const Mean& measured) {
    errors_.push_back(std::abs(predicted / measured.value - 1));
    uncertain_ = std::max(uncertain_, measured.standard_error / measured.value);
  }
  void print(const std::string& what) {
    if (errors_.empty()) return;
    std::sort(errors_.begin(), errors_.end());
    const auto at = [&](double share) {
      return 100 * errors_[static_cast<std::size_t>(share * static_cast<double>(errors_.size() - 1))];
    };
    fmt::print(
        "{:<22} {:4} cells: error median {:.2f} %, 90 % within {:.2f} %, worst {:.2f} %; standard error at "
        "most {:.2f} %\n",
        what, errors_.size(), at(0.5), at(0.9), at(1), 100 * uncertain_);
  }

 private:
  std::vector<double> errors_;
  double uncertain_ = 0;
};

class Table {
 public:
  explicit Table(std::FILE* csv) : csv_(csv) {
    fmt::print("{:<12} {:>4} {:>4} {:>5} {:>2} {:>6} {:>10} {:>6} {:>10} {:>7} {:>8} {:>8} {:>7}\n",
               "recovery", "RTT", "n", "m", "k", "loss", "measured", "± %", "predicted", "error %", "rounds",
               "expected", "error %");
    if (csv_ != nullptr)
      fmt::print(csv_,
                 "recovery,round_trip_ms,ranks,segments,copies,loss,supersteps,measured_ms,standard_error_ms,"
                 "predicted_ms,measured_rounds,standard_error_rounds,predicted_rounds\n");
  }

  void run(const Grid& grid, const std::string& what, const std::vector<Cell>& cells) {
    Errors seconds;
    Errors rounds;
    std::vector<double> shares;
    for (const Cell& cell : cells) {
      const auto config = config_of(cell);
      const std::size_t bytes = static_cast<std::size_t>(cell.segments) *
                                (config.options.datagram_bytes - transport::data_overhead_bytes);
      SimulatedSupersteps job(config, Pattern::all_to_all, bytes);
      Effort effort = grid.effort;
      if (cell.recovery == Recovery::whole_round) effort.seconds *= 2;  // their number varies most
      const Measurement measured = measure(job, effort);
      const Prediction predicted = predict(cell, config.options);
      print(cell, measured, predicted);
      seconds.add(predicted.seconds, measured.seconds);
      if (predicted.rounds > 0) rounds.add(predicted.rounds, measured.rounds);
      if (predicted.spread) shares.push_back(share_within(*predicted.spread, measured.each_seconds));
    }
    shares_.emplace_back(what, std::move(shares));
    summary_.emplace_back(what + ", time", seconds);
    summary_.emplace_back(what + ", rounds", rounds);
  }

  void print_summary() {
    for (auto& [what, errors] : summary_)
      errors.print(what);
    for (auto& [what, shares] : shares_)
      print_shares(what, shares);
  }

 private:
  void print(const Cell& cell, const Measurement& measured, const Prediction& predicted) {
    const Mean& time = measured.seconds;
    fmt::print("{:<12} {:>4} {:>4} {:>5} {:>2} {:>6.2g} {:>10.2f} {:>6.2f} {:>10.2f} {:>+7.2f}",
               label_of(cell), cell.round_trip_ms, cell.ranks, cell.segments, cell.copies, cell.loss,
               1e3 * time.value, 100 * time.standard_error / time.value, 1e3 * predicted.seconds,
               100 * (predicted.seconds / time.value - 1));
    if (predicted.spread)
      fmt::print(" {:>8.1f} % within", 100 * share_within(*predicted.spread, measured.each_seconds));
    if (predicted.rounds > 0) {
      fmt::print(" {:>8.3f} {:>8.3f} {:>+7.2f}", measured.rounds.value, predicted.rounds,
                 100 * (predicted.rounds / measured.rounds.value - 1));
    }
    fmt::print("\n");
    std::fflush(stdout);
    if (csv_ == nullptr) return;
    fmt::print(csv_, "{},{},{},{},{},{},{},{:.6g},{:.3g},{:.6g},{:.6g},{:.3g},{:.6g}\n", label_of(cell),
               cell.round_trip_ms, cell.ranks, cell.segments, cell.copies, cell.loss, measured.supersteps,
               1e3 * time.value, 1e3 * time.standard_error, 1e3 * predicted.seconds, measured.rounds.value,
               measured.rounds.standard_error, predicted.rounds);
  }

  static void print_shares(const std::string& what, std::vector<double>& shares) {
    if (shares.empty()) return;
    std::ranges::sort(shares);
    const double mean = std::reduce(shares.begin(), shares.end()) / static_cast<double>(shares.size());
    const auto at = [&](double share) {
      return 100 * shares[static_cast<std::size_t>(share * static_cast<double>(shares.size() - 1))];
    };
    fmt::print(
        "{:<22} {:4} cells: within the interval for nine of ten: mean {:.1f} %, median {:.1f} % of supersteps, a tenth of the "
        "cells below {:.1f} %, the least {:.1f} %\n",
        what, shares.size(), 100 * mean, at(0.5), at(0.1), at(0));
  }

  std::FILE* csv_;
  std::vector<std::pair<std::string, Errors>> summary_;
  std::vector<std::pair<std::string, std::vector<double>>> shares_;
};

int run(int argc, char** argv) {
  const Grid* grid = &quick_grid;
  bool only_coded = false;
  std::FILE* csv = nullptr;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--full") == 0) {
      grid = &full_grid;
    } else if (std::strcmp(argv[i], "--coded") == 0) {
      only_coded = true;
    } else if (std::strcmp(argv[i], "--csv") == 0 && i + 1 < argc) {
      csv = std::fopen(argv[++i], "w");
      if (csv == nullptr) {
        fmt::print(stderr, "lbsp: {} cannot be written: name another file\n", argv[i]);
        return 2;
      }
    } else {
      fmt::print(stderr, "lbsp: {} is not an option: choose of --full, --coded and --csv FILE\n", argv[i]);
      return 2;
    }
  }
  Table table(csv);
  for (const Recovery recovery : {Recovery::receiver, Recovery::rounds, Recovery::whole_round})
    if (!only_coded) table.run(*grid, name_of(recovery), cells_of(*grid, recovery));
  table.run(*grid, "coded", coded_cells_of(*grid));
  table.print_summary();
  if (csv != nullptr) std::fclose(csv);
  return 0;
}

}  // namespace
}  // namespace lbsp::bench

int main(int argc, char** argv) {
  return lbsp::bench::run(argc, argv);
}
