// What the C interface costs beside the C++ one, over threads, where nothing hides the difference. Both faces
// make the same supersteps on the same World, with the same memory and the same messages: a batch through the
// one, then at once a batch through the other, the first of the two in turn. What disturbs the machine so
// falls on both, or on few pairs; what is told of the pairs' ratios is their median.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cmath>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "lbsp/area.hpp"
#include "lbsp/c/bsp.h"
#include "lbsp/c/calls.hpp"
#include "transport/threads/threads_exchange.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr int word = sizeof(double);

/// One rank that puts `puts` words to the next in each superstep. Every other word, so that no two puts join:
/// each has a head of its own.
class Faces {
 public:
  Faces(lbsp::transport::Exchange& exchange, std::size_t puts)
      : puts_(puts),
        memory_(2 * puts + 2),
        world_(exchange),
        spmd_(world_),
        attached_(spmd_),
        area_(world_, std::span(memory_)) {
    bsp_push_reg(memory_.data(), static_cast<int>(memory_.size()) * word);
    bsp_sync();
  }

  [[gnu::noinline]] void step_in_cpp() {
    const lbsp::Rank to = (world_.rank() + 1) % world_.size();
    for (std::size_t i = 0; i < puts_; ++i)
      area_.put(to, 2 * i, value_);
    world_.sync();
  }

  [[gnu::noinline]] void step_in_c() {
    const int to = (bsp_pid() + 1) % bsp_nprocs();
    for (int i = 0; i < static_cast<int>(puts_); ++i)
      bsp_put(to, &value_, memory_.data(), 2 * i * word, word);
    bsp_sync();
  }

  template <void (Faces::*step)()>
  Seconds batch(std::size_t supersteps) {
    const auto begin = Clock::now();
    for (std::size_t i = 0; i < supersteps; ++i)
      (this->*step)();
    return Clock::now() - begin;
  }

 private:
  std::size_t puts_;
  std::vector<double> memory_;
  lbsp::World world_;
  lbsp::bsplib::Spmd spmd_;
  lbsp::bsplib::Attached attached_;
  lbsp::Area<double> area_;
  double value_ = 1;
};

struct Pair {
  Seconds cpp;
  Seconds c;
};

Pair measure(Faces& faces, std::size_t supersteps, bool c_first) {
  Pair pair{};
  if (c_first) pair.c = faces.batch<&Faces::step_in_c>(supersteps);
  pair.cpp = faces.batch<&Faces::step_in_cpp>(supersteps);
  if (!c_first) pair.c = faces.batch<&Faces::step_in_c>(supersteps);
  return pair;
}

/// The value below which the given part of the values lies.
double quantile(std::vector<double> values, double part) {
  const double last = static_cast<double>(values.size() - 1);
  const auto place =
      values.begin() + static_cast<std::ptrdiff_t>(std::lround(std::clamp(part, 0.0, 1.0) * last));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

template <class Value>
std::vector<double> values_of(const std::vector<Pair>& pairs, Value value) {
  std::vector<double> values;
  for (const Pair& pair : pairs)
    values.push_back(value(pair));
  return values;
}

void report(benchmark::State& state, const std::vector<Pair>& pairs, std::size_t supersteps) {
  const auto each = static_cast<double>(supersteps);
  const auto ratios = values_of(pairs, [](const Pair& pair) { return pair.c / pair.cpp; });
  // The median of the whole lies between these with 95 % confidence, whatever the distribution.
  const double half_width = 0.98 / std::sqrt(static_cast<double>(pairs.size()));
  state.counters["cpp"] =
      quantile(values_of(pairs, [](const Pair& pair) { return pair.cpp.count(); }), 0.5) / each;
  state.counters["c"] =
      quantile(values_of(pairs, [](const Pair& pair) { return pair.c.count(); }), 0.5) / each;
  state.counters["ratio"] = quantile(ratios, 0.5);
  state.counters["ratio_from"] = quantile(ratios, 0.5 - half_width);
  state.counters["ratio_to"] = quantile(ratios, 0.5 + half_width);
}

void BM_faces(benchmark::State& state) {
  const auto ranks = static_cast<lbsp::Rank>(state.range(0));
  const auto puts = static_cast<std::size_t>(state.range(1));
  // Some 50 µs: long beside the clock's reading, short beside the scheduler's slices.
  const std::size_t supersteps = (ranks == 1 ? 400 : 8) / (1 + puts / (ranks == 1 ? 10 : 1000)) + 1;
  auto exchanges = lbsp::transport::make_threads_exchanges(ranks);
  const auto others = [&](lbsp::transport::Exchange& exchange) {
    Faces faces(exchange, puts);
    for (benchmark::IterationCount i = 0; i < state.max_iterations; ++i)
      measure(faces, supersteps, i % 2 == 1);
  };
  std::vector<std::jthread> threads;
  for (lbsp::Rank rank = 1; rank < ranks; ++rank) {
    threads.emplace_back(
        [&others, &exchange = *exchanges[static_cast<std::size_t>(rank)]] { others(exchange); });
  }
  Faces faces(*exchanges.front(), puts);
  std::vector<Pair> pairs;
  bool c_first = false;
  for (auto _ : state) {
    pairs.push_back(measure(faces, supersteps, c_first));
    state.SetIterationTime((pairs.back().c + pairs.back().cpp).count());
    c_first = !c_first;
  }
  report(state, pairs, supersteps);
}

BENCHMARK(BM_faces)
    ->ArgNames({"ranks", "puts"})
    ->ArgsProduct({{1, 2}, {0, 100, 10'000}})
    ->UseManualTime()
    ->MinTime(2);

}  // namespace
