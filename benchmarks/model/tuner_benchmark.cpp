// What a full tune costs, all node counts, packet sizes, copies and repairs: at most 0.5 s.
#include "benchmark/benchmark.h"

#include "lbsp/plan/protocol.hpp"
#include "model/tuning/tuner.hpp"

namespace {

using namespace lbsp::model::tuning;

TuningQuestion question(const ProgramOf& program, Admissible rule, double most, double loss,
                        UsualTimes& usual) {
  return {
      .program = program,
      .paths =
          [loss](double) {
            std::vector<PacketPath> paths;
            for (const double size : {512, 1024, 1400, 2952, 8872})
              paths.push_back(
                  {.packet_bytes = size, .bandwidth = 12.5e6, .path = {.round_trip = 0.07, .loss = loss}});
            return paths;
          },
      .nodes = admissible_nodes(rule, most),
      .usual = usual};
}

// Arguments: the most nodes, loss in thousandths.
void tune_for(benchmark::State& state, const ProgramOf& program, Admissible rule) {
  const auto most = static_cast<double>(state.range(0));
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores): the library's own idiom
    UsualTimes usual(lbsp::plan::protocol());
    benchmark::DoNotOptimize(
        tune(question(program, rule, most, static_cast<double>(state.range(1)) / 1000, usual)));
  }
}

void grid(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"nodes", "loss_permille"})->Unit(benchmark::kMillisecond);
  for (const int nodes : {64, 1024, 131072})
    for (const int loss : {10, 100, 500})
      benchmark->Args({nodes, loss});
}

BENCHMARK_CAPTURE(
    tune_for, matmul, [](double nodes) { return matmul_program(65536, nodes, 1e10); }, Admissible::squares)
    ->Apply(grid);
BENCHMARK_CAPTURE(
    tune_for, fft2d, [](double nodes) { return fft2d_program(131072, nodes, 1e9); }, Admissible::any)
    ->Apply(grid);

}  // namespace
