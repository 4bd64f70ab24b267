// What the C interface costs beside the C++ one: supersteps and puts through both faces, over threads. The
// ranks besides the first are threads that do the same until told to stop.
#include <array>
#include <benchmark/benchmark.h>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "lbsp/area.hpp"
#include "lbsp/c/bsp.h"
#include "lbsp/c/calls.hpp"
#include "transport/threads/threads_exchange.hpp"

namespace {

constexpr int word = sizeof(double);

/// One rank's side of a benchmark: puts `puts` words to the next rank, then ends the superstep.
class CppFace {
 public:
  CppFace(lbsp::World& world, std::size_t puts)
      : world_(world), memory_(2 * puts + 2), area_(world, std::span(memory_)) {
    world_.sync();
  }

  void step(std::size_t puts) {
    const lbsp::Rank to = (world_.rank() + 1) % world_.size();
    for (std::size_t i = 0; i < puts; ++i)
      area_.put(to, 2 * i, value_);
    world_.sync();
  }

 private:
  lbsp::World& world_;
  std::vector<double> memory_;
  lbsp::Area<double> area_;
  double value_ = 1;
};

class CFace {
 public:
  CFace(lbsp::World& world, std::size_t puts) : memory_(2 * puts + 2), spmd_(world), attached_(spmd_) {
    bsp_push_reg(memory_.data(), static_cast<int>(memory_.size()) * word);
    bsp_sync();
  }

  void step(std::size_t puts) {
    const int to = (bsp_pid() + 1) % bsp_nprocs();
    for (int i = 0; i < static_cast<int>(puts); ++i)
      bsp_put(to, &value_, memory_.data(), 2 * i * word, word);
    bsp_sync();
  }

 private:
  std::vector<double> memory_;
  lbsp::bsplib::Spmd spmd_;
  lbsp::bsplib::Attached attached_;
  double value_ = 1;
};

/// Every other word, so that no two puts join: each has a head of its own. The ranks agree on each superstep
/// by a word of their own, which says whether another follows.
template <class Face>
void BM_superstep(benchmark::State& state) {
  const auto ranks = static_cast<lbsp::Rank>(state.range(0));
  const auto puts = static_cast<std::size_t>(state.range(1));
  constexpr benchmark::IterationCount batch = 64;
  auto exchanges = lbsp::transport::make_threads_exchanges(ranks);
  const benchmark::IterationCount batches = state.max_iterations;
  const auto others = [&](lbsp::transport::Exchange& exchange) {
    lbsp::World world(exchange);
    Face face(world, puts);
    for (benchmark::IterationCount i = 0; i < batches * batch; ++i)
      face.step(puts);
  };
  std::vector<std::jthread> threads;
  for (lbsp::Rank rank = 1; rank < ranks; ++rank)
    threads.emplace_back(
        [&others, &exchange = *exchanges[static_cast<std::size_t>(rank)]] { others(exchange); });
  lbsp::World world(*exchanges.front());
  Face face(world, puts);
  for (auto _ : state) {
    for (benchmark::IterationCount i = 0; i < batch; ++i)
      face.step(puts);
  }
  const auto supersteps = static_cast<double>(state.iterations() * batch);
  state.counters["superstep"] =
      benchmark::Counter(supersteps, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  if (puts > 0) {
    state.counters["put"] = benchmark::Counter(supersteps * static_cast<double>(puts),
                                               benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  }
}

void shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"ranks", "puts"})->UseRealTime();
  for (const int ranks : {1, 2}) {
    for (const int puts : {0, 100, 10'000})
      benchmark->Args({ranks, puts});
  }
}

BENCHMARK(BM_superstep<CppFace>)->Apply(shapes);
BENCHMARK(BM_superstep<CFace>)->Apply(shapes);

}  // namespace
