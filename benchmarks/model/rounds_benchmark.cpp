// What the expected rounds of a superstep cost to compute: at most 1 µs for p ≤ 0.3 and c ≤ 1e6.
#include "benchmark/benchmark.h"

#include "model/paper/rounds.hpp"

namespace {

using lbsp::model::paper::Scheme;

// Arguments: loss in thousandths, copies, packets.
void expected_rounds(benchmark::State& state, Scheme scheme) {
  double loss = static_cast<double>(state.range(0)) / 1000;
  const int copies = static_cast<int>(state.range(1));
  const double packets = static_cast<double>(state.range(2));
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores): the library's own idiom
    benchmark::DoNotOptimize(loss);
    benchmark::DoNotOptimize(lbsp::model::paper::expected_rounds(scheme, loss, copies, packets));
  }
}

void grid(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"loss_permille", "copies", "packets"});
  for (const int loss : {1, 50, 100, 300})
    for (const int packets : {1, 100, 999, 1'000'000})
      benchmark->Args({loss, 1, packets});
  benchmark->Args({300, 4, 1'000'000});
}

BENCHMARK_CAPTURE(expected_rounds, rounds, Scheme::rounds)->Apply(grid);
BENCHMARK_CAPTURE(expected_rounds, receiver, Scheme::receiver)->Apply(grid);

}  // namespace
