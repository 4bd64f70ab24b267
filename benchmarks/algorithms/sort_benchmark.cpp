#include <algorithm>
#include <benchmark/benchmark.h>
#include <random>
#include <vector>

#include "algorithms/bitonic_sort.hpp"
#include "algorithms/compare_split.hpp"
#include "lbsp/world.hpp"
#include "transport/threads/threads_exchange.hpp"

/// What a rank computes in a bitonic sort beside the standard library. The sort of four ranks is in
/// algorithms_benchmark.cpp.
namespace lbsp::bench {
namespace {

using algorithms::SortOrder;

std::vector<double> random_keys(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> keys(count);
  for (double& key : keys)
    key = std::uniform_real_distribution<double>(-1, 1)(random);
  return keys;
}

std::vector<double> sorted_keys(std::size_t count, std::uint64_t seed) {
  auto keys = random_keys(count, seed);
  std::ranges::sort(keys);
  return keys;
}

void set_rate(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

/// The first thing a rank does, by the standard library alone …
void local_sort_std(benchmark::State& state) {
  const auto keys = random_keys(static_cast<std::size_t>(state.range(0)), 1);
  std::vector<double> sorted;
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores): the library's own idiom
    state.PauseTiming();
    sorted = keys;
    state.ResumeTiming();
    std::sort(sorted.begin(), sorted.end());
    benchmark::DoNotOptimize(sorted.data());
  }
  set_rate(state);
}

/// … and as bitonic_sort does it, in a total order: a world of one rank has nothing else to do.
void local_sort(benchmark::State& state) {
  const auto exchanges = transport::make_threads_exchanges(1);
  World world(*exchanges.front());
  const auto keys = random_keys(static_cast<std::size_t>(state.range(0)), 1);
  std::vector<double> sorted;
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores)
    state.PauseTiming();
    sorted = keys;
    state.ResumeTiming();
    sorted = algorithms::bitonic_sort(world, std::move(sorted));
    benchmark::DoNotOptimize(sorted.data());
  }
  set_rate(state);
}

/// A step's merge of n keys that are kept: std::merge of two halves that long together …
void merge_std(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto a = sorted_keys(n / 2, 1);
  const auto b = sorted_keys(n - n / 2, 2);
  std::vector<double> merged(n);
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores)
    std::merge(a.begin(), a.end(), b.begin(), b.end(), merged.begin());
    benchmark::DoNotOptimize(merged.data());
  }
  set_rate(state);
}

/// … and the step's own, which keeps n of two blocks of n.
template <bool first>
void compare_split(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  auto a = sorted_keys(n, 1);
  auto b = sorted_keys(n, 2);
  const algorithms::FloatOrder<double> codes(SortOrder::ascending);
  codes.encode(a);
  codes.encode(b);
  const algorithms::FloatOrder<double>::CodeLess less;
  std::vector<double> kept(n);
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores)
    if constexpr (first) {
      algorithms::keep_first<double>(a, b, n, kept, less);
    } else {
      algorithms::keep_last<double>(a, b, n, kept, less);
    }
    benchmark::DoNotOptimize(kept.data());
  }
  set_rate(state);
}

constexpr int many_keys = 1 << 20;
BENCHMARK(local_sort_std)->Arg(1 << 14)->Arg(many_keys)->Unit(benchmark::kMicrosecond);
BENCHMARK(local_sort)->Arg(1 << 14)->Arg(many_keys)->Unit(benchmark::kMicrosecond);
BENCHMARK(merge_std)->Arg(1 << 14)->Arg(many_keys)->Unit(benchmark::kMicrosecond);
BENCHMARK(compare_split<true>)->Arg(1 << 14)->Arg(many_keys)->Unit(benchmark::kMicrosecond);
BENCHMARK(compare_split<false>)->Arg(1 << 14)->Arg(many_keys)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace lbsp::bench
