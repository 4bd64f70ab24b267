#include <benchmark/benchmark.h>
#include <cmath>
#include <complex>
#include <random>
#include <vector>

#include "algorithms/bitonic_sort.hpp"
#include "algorithms/fft2d.hpp"
#include "algorithms/jacobi.hpp"
#include "algorithms/matmul.hpp"
#include "benchmarks/algorithms/world_team.hpp"
#include "lbsp/plan/protocol.hpp"
#include "model/tuning/setting.hpp"

/// Each algorithm on 4 ranks over threads, over UDP without delay, and over UDP with loss=10%,rtt=70ms.
/// Beside the time stands what the model predicts for the communication of that program, whose exchanges are
/// made alike here and there ("model_ms"; threads have none).
namespace lbsp::bench {
namespace {

using namespace algorithms;

constexpr Rank ranks = 4;
constexpr std::size_t size = 512;  // of the matrices and of the transformed grid
constexpr double any_rate = 1e9;   // the prediction is of the communication alone

void predict(benchmark::State& state, Carrier carrier, const model::tuning::Program& program) {
  if (carrier == Carrier::threads) return;
  const transport::ExchangeOptions options = options_of(carrier);
  model::tuning::PacketPath path;
  path.packet_bytes = static_cast<double>(options.datagram_bytes);
  path.bandwidth = options.rate.value;
  if (carrier == Carrier::wide_area) {
    path.path.loss = wide_area_spec().loss;
    path.path.round_trip = std::chrono::duration<double>(wide_area_spec().round_trip_time).count();
  }
  const model::superstep::Protection copies{.copies = options.copies};
  const auto setting = model::tuning::evaluate(program, path, {copies, copies}, plan::protocol());
  state.counters["model_ms"] = setting.communication * 1e3;
}

Carrier carrier_of(const benchmark::State& state) {
  return static_cast<Carrier>(state.range(0));
}

void matmul_of(benchmark::State& state) {
  const auto algorithm = static_cast<ProductAlgorithm>(state.range(1));
  measure(state, carrier_of(state), ranks, [&](World& world) -> Deed {
    BlockMatrix<double> a(world, size, size);
    BlockMatrix<double> b(world, size, size);
    a.fill([](std::size_t i, std::size_t j) { return static_cast<double>(i + j); });
    b.fill([](std::size_t i, std::size_t j) { return static_cast<double>(i * j % 7); });
    return [&world, a, b, algorithm] {
      benchmark::DoNotOptimize(matmul(world, a, b, {algorithm, size / 2}).values.data());
    };
  });
  if (algorithm == ProductAlgorithm::direct) {
    predict(state, carrier_of(state), model::tuning::matmul_program(size, ranks, any_rate));
  }
}

void fft2d_of(benchmark::State& state) {
  const bool transposed = state.range(1) != 0;
  measure(state, carrier_of(state), ranks, [&](World& world) -> Deed {
    auto fft = std::make_shared<Fft2d<double>>(world, size, size, Fft2dOptions{.transposed = transposed});
    std::vector<std::complex<double>> zeros(fft->own_rows().count * size);  // which stay finite for ever
    return [fft, values = std::move(zeros)]() mutable { fft->transform(values); };
  });
  if (!transposed) predict(state, carrier_of(state), model::tuning::fft2d_program(size, ranks, any_rate));
}

/// 32 sweeps of 257 × 257 points.
void jacobi_of(benchmark::State& state) {
  constexpr std::size_t points = 257;
  constexpr std::uint64_t sweeps = 32;
  const auto halo = static_cast<std::size_t>(state.range(1));
  measure(state, carrier_of(state), ranks, [&](World& world) -> Deed {
    const GridBlocks blocks = GridBlocks::of(points, points, ranks, BlockShape::rows);
    auto grid = std::make_shared<GridBlock>(world, blocks, halo);
    grid->fill([](std::size_t i, std::size_t) { return i == 0 ? 1. : 0.; });
    return [&world, grid] { jacobi(world, *grid, {.sweeps = sweeps, .check_every = sweeps}); };
  });
  if (halo == 1)
    predict(state, carrier_of(state), model::tuning::jacobi_program({points, sweeps}, ranks, any_rate));
}

/// 2^variant random keys. The model has one superstep more, without data, in which the ranks learn how many.
void bitonic_sort_of(benchmark::State& state) {
  const std::size_t keys = std::size_t{1} << state.range(1);
  measure(state, carrier_of(state), ranks, [&](World& world) -> Deed {
    std::mt19937_64 random(static_cast<std::uint64_t>(world.rank()));
    std::vector<double> own(keys / ranks);
    for (double& key : own)
      key = std::uniform_real_distribution<double>(-1, 1)(random);
    return [&world, own] { benchmark::DoNotOptimize(bitonic_sort(world, own).data()); };
  });
  model::tuning::Program program =
      model::tuning::bitonic_sort_program(static_cast<double>(keys), ranks, any_rate);
  program.supersteps += 1;
  predict(state, carrier_of(state), program);
}

/// {carrier, variant}
void over_all(benchmark::internal::Benchmark* benchmark, const std::vector<int>& variants) {
  for (const int carrier : {0, 1, 2}) {
    for (const int variant : variants)
      benchmark->Args({carrier, variant});
  }
  benchmark->UseManualTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK(matmul_of)->ArgNames({"carrier", "algorithm"})->Apply([](auto* b) { over_all(b, {0, 1, 2}); });
BENCHMARK(bitonic_sort_of)->ArgNames({"carrier", "log2_keys"})->Apply([](auto* b) {
  over_all(b, {12, 16, 20});
});
BENCHMARK(fft2d_of)->ArgNames({"carrier", "transposed"})->Apply([](auto* b) { over_all(b, {0, 1}); });
BENCHMARK(jacobi_of)->ArgNames({"carrier", "halo"})->Apply([](auto* b) { over_all(b, {1, 8, 32}); });

}  // namespace
}  // namespace lbsp::bench
