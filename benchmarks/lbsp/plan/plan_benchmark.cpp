// What one call of the planner costs, as a rank's network thread pays for it before each superstep: for a
// superstep like none before, for one that differs from the last by what a measured loss moves, and for one
// like the last. Where other programs run, let callgrind count instructions (--benchmark_min_time=0.0001 and
// a filter make one plan of it).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "benchmark/benchmark.h"

#include "lbsp/plan/model_planner.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::plan {
namespace {

using namespace std::chrono_literals;
using transport::PlannedMessage;

constexpr std::size_t datagram_bytes = 1400;
constexpr std::uint64_t segment_bytes = datagram_bytes - transport::data_overhead_bytes;

/// A superstep of one rank: `bytes` to each of `peers`, nothing to the other ranks.
class Superstep {
 public:
  Superstep(int ranks, int peers, std::uint64_t bytes, double loss, std::chrono::milliseconds round_trip)
      : ranks_(ranks) {
    for (int to = 1; to < ranks; ++to) {
      const std::uint64_t length = to <= peers ? bytes : 0;
      const auto segments = std::max<std::uint64_t>(1, (length + segment_bytes - 1) / segment_bytes);
      messages_.push_back({to, length, static_cast<std::uint32_t>(segments), {}});
    }
    set_path(loss, round_trip);
  }

  void set_path(double loss, transport::Duration round_trip) {
    for (PlannedMessage& message : messages_)
      message.path = {loss, loss, 2000, round_trip, 1ms};
  }

  void plan(ModelPlanner& planner) {
    plans_.assign(messages_.size(), {});
    const transport::LegOutline leg{
        0,        ranks_, transport::Recovery::receiver, transport::megabits_per_second(100), datagram_bytes,
        messages_};
    benchmark::DoNotOptimize(planner.plan(leg, plans_));
  }

 private:
  int ranks_;
  std::vector<PlannedMessage> messages_;
  std::vector<transport::MessagePlan> plans_;
};

Superstep superstep_of(const benchmark::State& state) {
  return {static_cast<int>(state.range(0)), static_cast<int>(state.range(1)),
          static_cast<std::uint64_t>(state.range(2)) << 10, static_cast<double>(state.range(3)) / 100,
          std::chrono::milliseconds{state.range(4)}};
}

/// A planner that has planned nothing yet.
void plan_the_first(benchmark::State& state) {
  Superstep superstep = superstep_of(state);
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores): the library's own idiom
    ModelPlanner planner(transport::ExchangeOptions{.redundancy = transport::Redundancy::automatic});
    superstep.plan(planner);
  }
}

/// The same again.
void plan_the_same(benchmark::State& state) {
  Superstep superstep = superstep_of(state);
  ModelPlanner planner(transport::ExchangeOptions{.redundancy = transport::Redundancy::automatic});
  superstep.plan(planner);
  for (auto _ : state)  // NOLINT(clang-analyzer-deadcode.DeadStores): the library's own idiom
    superstep.plan(planner);
}

/// The same messages, with the loss and the round trip as they are estimated from superstep to superstep:
/// within 8 % (the loss's standard error after 2000 datagrams, at 7 %) and 3 %.
void plan_with_drifting_estimates(benchmark::State& state) {
  Superstep superstep = superstep_of(state);
  ModelPlanner planner(transport::ExchangeOptions{.redundancy = transport::Redundancy::automatic});
  const double loss = static_cast<double>(state.range(3)) / 100;
  const std::chrono::duration<double, std::milli> round_trip(static_cast<double>(state.range(4)));
  double phase = 0;
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores): the library's own idiom
    phase += 0.37;
    const auto drifted = round_trip * (1 + 0.03 * std::cos(0.7 * phase));
    superstep.set_path(loss * (1 + 0.08 * std::sin(phase)),
                       std::chrono::duration_cast<transport::Duration>(drifted));
    superstep.plan(planner);
  }
}

void shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"ranks", "peers", "KiB", "loss_percent", "rtt_ms"})->Unit(benchmark::kMicrosecond);
  benchmark->Args({9, 8, 0, 5, 20});    // all-to-all, nothing but the end of the superstep
  benchmark->Args({9, 8, 1, 5, 20});    // … one segment
  benchmark->Args({9, 8, 64, 5, 20});   // … 50 segments
  benchmark->Args({9, 8, 512, 5, 20});  // … 395 segments
  benchmark->Args({9, 4, 226, 5, 20});  // matmul of 510² on 9 ranks
  benchmark->Args({9, 1, 226, 5, 20});  // … its collection
  benchmark->Args({4, 2, 512, 5, 20});  // matmul of 512² on 4 ranks
  benchmark->Args({16, 15, 64, 15, 70});
  benchmark->Args({16, 15, 512, 15, 70});
}

BENCHMARK(plan_the_first)->Apply(shapes);
BENCHMARK(plan_the_same)->Apply(shapes);
BENCHMARK(plan_with_drifting_estimates)->Apply(shapes);

}  // namespace
}  // namespace lbsp::plan
