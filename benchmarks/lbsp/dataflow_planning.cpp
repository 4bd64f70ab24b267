// What planning costs, and what it gains: L-HEFT level by level against HEFT that is planned anew (D-HEFT), in
// rehearsals of relaxations with 640 and 6400 tokens whose workers change their speeds; and the lengths of both plans
// as supersteps on random graphs. Prints two tables.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <random>
#include <vector>

#include "lbsp/dataflow/comparison/heft.hpp"
#include "lbsp/dataflow/comparison/length.hpp"
#include "lbsp/dataflow/comparison/rehearsal.hpp"
#include "lbsp/dataflow/planning/prediction.hpp"
#include "tests/lbsp/dataflow/comparison/shapes.hpp"

namespace {

using namespace lbsp::dataflow;
using namespace lbsp::dataflow::comparison;
using namespace lbsp::dataflow::planning;

/// Workers each of which changes its speed by a factor of up to 3 every `levels_alike` levels, and a predictor that
/// learns it. A token takes 1 ms on the usual worker, and a stream 0.1 ms to move.
class ChangingWorkers {
 public:
  ChangingWorkers(const Structure& graph, lbsp::Rank workers, std::size_t levels_alike, std::uint64_t seed)
      : graph_(graph), predictor_(1, workers, {.guess = usual}) {
    std::mt19937_64 random(seed);
    for (std::size_t level = 0; level < graph.levels(); ++level) {
      auto& now = slowness_.emplace_back();
      for (lbsp::Rank worker = 0; worker < workers; ++worker)
        now.push_back(level % levels_alike == 0 ? 100 + static_cast<Ticks>(random() % 201)
                                                : slowness_[level - 1][static_cast<std::size_t>(worker)]);
    }
    estimates.bytes.assign(graph.streams(), 1);
    estimates.send.assign(static_cast<std::size_t>(workers), Transfer{usual / 10, 0});
    estimates.run = [this](TokenId, Worker worker) { return predictor_.predict(0, worker, 1); };
    reality.run = [this](TokenId token, Worker worker) {
      return usual *
             slowness_[static_cast<std::size_t>(graph_.token(token).level)]
                      [static_cast<std::size_t>(worker)] /
             100;
    };
    reality.learn = [this](TokenId, Worker worker, Ticks time) { predictor_.learn(0, worker, time, 1); };
  }
  ChangingWorkers(const ChangingWorkers&) = delete;
  ChangingWorkers& operator=(const ChangingWorkers&) = delete;

  Estimates estimates;
  Reality reality;

 private:
  static constexpr Ticks usual = 1'000'000;

  const Structure& graph_;
  Predictor predictor_;
  std::vector<std::vector<Ticks>> slowness_;  ///< [level][worker], percent
};

struct Both {
  Rehearsal levels;
  Rehearsal replanned;
  double ratio = 0;  ///< of the times spent planning
};

Both rehearse_both(const Structure& graph, lbsp::Rank workers, std::uint64_t seed) {
  ChangingWorkers first(graph, workers, 5, seed);
  ChangingWorkers second(graph, workers, 5, seed);
  Both both{rehearse_levels(graph, first.estimates, first.reality),
            rehearse_replanned_heft(graph, second.estimates, second.reality)};
  both.ratio = static_cast<double>(both.levels.planning) / static_cast<double>(both.replanned.planning);
  return both;
}

void print_planning() {
  fmt::print(
      "tokens  workers  L-HEFT: planning    length | re-planned HEFT: plans    planning    length | planning: "
      "ratio (least .. most)\n");
  for (const std::uint32_t levels : {10U, 100U}) {
    for (const lbsp::Rank workers : {4, 8, 20}) {
      const Structure graph = jacobi_shape(64, levels);
      std::vector<Both> runs;
      for (std::uint64_t seed = 0; seed < 7; ++seed)
        runs.push_back(rehearse_both(graph, workers, seed));
      std::ranges::sort(runs, {}, &Both::ratio);
      const Both& one = runs[runs.size() / 2];
      fmt::print(
          "{:6}  {:7}  {:13.2f} ms {:6.0f} ms | {:22} {:8.2f} ms {:6.0f} ms | {:.3f} ({:.3f} .. {:.3f})\n",
          graph.tokens(), workers, static_cast<double>(one.levels.planning) / 1e6,
          static_cast<double>(one.levels.length) / 1e6, one.replanned.plans,
          static_cast<double>(one.replanned.planning) / 1e6, static_cast<double>(one.replanned.length) / 1e6,
          one.ratio, runs.front().ratio, runs.back().ratio);
    }
  }
}

void print_lengths(const char* name, const std::vector<RandomCase>& cases) {
  std::vector<double> ratios;
  double sum = 0;
  double moved = 0;
  std::size_t longer = 0;
  for (const RandomCase& one : cases) {
    const LevelledPlan levels = map_all(one.graph, one.estimates);
    const Mapping whole = heft(one.graph, one.estimates).mapping();
    const auto length = static_cast<double>(superstep_length(one.graph, one.estimates, whole));
    ratios.push_back(static_cast<double>(levels.length()) / length);
    sum += ratios.back();
    moved += static_cast<double>(fetched_bytes(one.graph, one.estimates, levels.mapping)) /
             static_cast<double>(fetched_bytes(one.graph, one.estimates, whole));
    if (ratios.back() > 1) ++longer;
  }
  std::ranges::sort(ratios);
  const auto count = static_cast<double>(ratios.size());
  fmt::print("{:11}  {:6}  {:.3f} ({:.3f} .. {:.3f})  {:15}  {:.2f}\n", name, ratios.size(), sum / count,
             ratios.front(), ratios.back(), longer, moved / count);
}

}  // namespace

int main() {
  print_planning();
  std::vector<RandomCase> transforms;
  std::vector<RandomCase> relaxations;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto workers = static_cast<lbsp::Rank>(4 + seed % 9);
    transforms.emplace_back(fft_shape(8U << (seed % 3)), workers, seed);
    relaxations.emplace_back(jacobi_shape(12 + static_cast<std::uint32_t>(seed % 5) * 8,
                                          6 + static_cast<std::uint32_t>(seed % 4) * 3),
                             workers, seed + 1000);
  }
  fmt::print("\ngraphs       number  L-HEFT's length by HEFT's  L-HEFT longer in  bytes moved, by HEFT's\n");
  print_lengths("transforms", transforms);
  print_lengths("relaxations", relaxations);
}
