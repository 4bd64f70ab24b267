// What the C interface costs beside the C++ one, over threads, where nothing hides the difference: the ratio
// of the two in paired batches, so that it stands on a machine that others use too.
#include <benchmark/benchmark.h>
#include <memory>
#include <thread>
#include <vector>

#include "benchmarks/lbsp/faces.hpp"
#include "lbsp/bsplib/calls.hpp"
#include "transport/threads/threads_exchange.hpp"

namespace {

using lbsp::faces::Faces;

/// One rank between bsp_begin and bsp_end, in this thread.
struct Member {
  explicit Member(lbsp::transport::Exchange& exchange) : world(exchange), spmd(world), attached(spmd) {}

  lbsp::World world;
  lbsp::bsplib::Spmd spmd;
  lbsp::bsplib::Attached attached;
};

/// Some 50 µs: long beside the clock's reading, short beside the scheduler's slices.
std::size_t supersteps_in_a_batch(lbsp::Rank ranks, std::size_t puts) {
  return ranks == 1 ? 1 + 400 / (1 + puts / 10) : 1 + 8 / (1 + puts / 1000);
}

void BM_faces(benchmark::State& state) {
  const auto ranks = static_cast<lbsp::Rank>(state.range(0));
  const auto puts = static_cast<std::size_t>(state.range(1));
  const std::size_t supersteps = supersteps_in_a_batch(ranks, puts);
  auto exchanges = lbsp::transport::make_threads_exchanges(ranks);
  const auto others = [&](lbsp::transport::Exchange& exchange) {
    Member member(exchange);
    Faces faces(member.spmd, puts);
    for (benchmark::IterationCount i = 0; i < state.max_iterations; ++i)
      measure(faces, supersteps, i % 2 == 1);
  };
  std::vector<std::jthread> threads;
  for (lbsp::Rank rank = 1; rank < ranks; ++rank) {
    threads.emplace_back(
        [&others, &exchange = *exchanges[static_cast<std::size_t>(rank)]] { others(exchange); });
  }
  Member member(*exchanges.front());
  Faces faces(member.spmd, puts);
  std::vector<lbsp::faces::Pair> pairs;
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores): the library's own idiom
    pairs.push_back(measure(faces, supersteps, pairs.size() % 2 == 1));
    state.SetIterationTime((pairs.back().c + pairs.back().cpp).count());
  }
  const auto comparison = compare(pairs, supersteps);
  state.counters["cpp"] = comparison.cpp_seconds;
  state.counters["c"] = comparison.c_seconds;
  state.counters["ratio"] = comparison.ratio;
  state.counters["ratio_from"] = comparison.ratio_from;
  state.counters["ratio_to"] = comparison.ratio_to;
}

// The pairs are counted, not timed: in a given time a busy machine makes few, and the interval is wide.
BENCHMARK(BM_faces)
    ->ArgNames({"ranks", "puts"})
    ->ArgsProduct({{1, 2}, {0, 100, 10'000}})
    ->UseManualTime()
    ->Iterations(1000);

}  // namespace
