#include <algorithm>
#include <benchmark/benchmark.h>
#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "benchmarks/transport/rank_team.hpp"
#include "transport/fixed_redundancy.hpp"

/// The time of one superstep over real UDP sockets on this host: every rank sends the same number of bytes to
/// every other. Each row stands beside its lower bound in the same row: one-way delay + bytes of a rank /
/// (rate · (1 - loss)); "ratio" is the median over the bound. The bound counts no header, no processor and no
/// repair, so 1.05 is the least that can be reached (70 of 1400 bytes are headers).
namespace lbsp::transport::bench {
namespace {

using namespace std::chrono_literals;

enum Network { no_delay, wide_area };

/// On the wide-area network every host has 100 Mbit/s, as the paths lbsp is made for; without delay the pacer
/// allows 1 Gbit/s a rank, which eight ranks of one small machine cannot reach together.
BytesPerSecond rate_of(Network network) {
  return network == wide_area ? megabits_per_second(100) : megabits_per_second(1000);
}

double quantile(std::vector<double>& times, double fraction) {
  const auto index = std::lround(fraction * static_cast<double>(times.size() - 1));
  std::nth_element(times.begin(), times.begin() + index, times.end());
  return times[static_cast<std::size_t>(index)];
}

/// Measures supersteps of `ranks` ranks, each sending `bytes` to every other, and puts the bound beside them.
void measure(benchmark::State& state, Rank ranks, std::size_t bytes, const ExchangeOptions& options,
             const WanSpec& wan, const PlannerFactory& planner = {}) {
  const bool impaired = wan.loss > 0 || wan.round_trip_time > Duration::zero();
  RankTeam team(ranks, options, impaired ? std::optional(wan) : std::nullopt, planner);
  for (int i = 0; i < 20; ++i)
    team.superstep(0);  // until the round trip is known
  const TrafficCounters before = team.counters();
  std::vector<double> times;
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores): the library's own idiom
    times.push_back(team.superstep(bytes).count());
    state.SetIterationTime(times.back());
  }
  const TrafficCounters traffic = team.counters() - before;
  const double per_rank = static_cast<double>(bytes) * (ranks - 1);
  const double delay = std::chrono::duration<double>(wan.round_trip_time).count() / 2;
  // Of what is sent, the share that is lost must be sent again.
  const double bound = delay + per_rank / (options.rate.value * (1 - wan.loss));
  const double median = quantile(times, 0.5);
  state.counters["bound_ms"] = bound * 1e3;
  state.counters["median_ms"] = median * 1e3;
  state.counters["p99_ms"] = quantile(times, 0.99) * 1e3;
  if (bound > 0) state.counters["ratio"] = median / bound;
  state.counters["Gbit_s"] = per_rank * ranks * 8e-9 / median;
  state.counters["sent_per_needed"] = static_cast<double>(traffic.segments_sent) /
                                      static_cast<double>(traffic.segments_sent - traffic.copies_sent -
                                                          traffic.coded_sent - traffic.segments_resent);
}

void superstep(benchmark::State& state) {
  const auto network = static_cast<Network>(state.range(3));
  ExchangeOptions options;
  options.copies = static_cast<int>(state.range(4));
  options.rate = rate_of(network);
  WanSpec wan;
  wan.loss = static_cast<double>(state.range(2)) / 100;
  if (network == wide_area) wan.round_trip_time = 20ms;
  measure(state, static_cast<Rank>(state.range(0)), static_cast<std::size_t>(state.range(1)), options, wan);
}

/// Coded segments in place of copies, on the wide-area network with 10 % loss: 64 KiB are one block of 50
/// segments, of which five are lost on average.
void coded_superstep(benchmark::State& state) {
  ExchangeOptions options;
  options.rate = rate_of(wide_area);
  WanSpec wan;
  wan.loss = 0.1;
  wan.round_trip_time = 20ms;
  const auto repair_segments = static_cast<int>(state.range(1));
  measure(state, static_cast<Rank>(state.range(0)), 64 << 10, options, wan,
          [=](Rank) { return std::make_unique<FixedRedundancy>(2, repair_segments); });
}

/// The recovery schemes side by side on a bad path: four ranks, 70 ms, 10 % loss, 100 Mbit/s each.
void recovery(benchmark::State& state) {
  ExchangeOptions options;
  options.recovery = static_cast<Recovery>(state.range(0));
  options.copies = static_cast<int>(state.range(1));
  options.rate = megabits_per_second(100);
  WanSpec wan;
  wan.loss = 0.1;
  wan.round_trip_time = 70ms;
  measure(state, 4, static_cast<std::size_t>(state.range(2)), options, wan);
}

/// {ranks, bytes per pair, loss in percent, network, copies}
void all_cells(benchmark::internal::Benchmark* benchmark) {
  for (const int network : {no_delay, wide_area}) {
    for (const int loss : {0, 10}) {
      for (const int ranks : {2, 4, 8}) {
        for (const int bytes : {0, 1 << 10, 64 << 10, 1 << 20}) {
          benchmark->Args({ranks, bytes, loss, network, loss == 0 ? 1 : 2});
        }
      }
    }
  }
}

BENCHMARK(superstep)
    ->Apply(all_cells)
    ->ArgNames({"ranks", "bytes", "loss", "wan", "copies"})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->MinTime(1.0);

BENCHMARK(coded_superstep)
    ->ArgsProduct({{2, 4, 8}, {0, 8, 12, 16}})
    ->ArgNames({"ranks", "repair"})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->MinTime(1.0);

/// {scheme, copies, bytes per pair}. Sending a whole round again never ends with messages of many segments.
void all_schemes(benchmark::internal::Benchmark* benchmark) {
  for (const int bytes : {1 << 10, 64 << 10}) {
    for (const int copies : {1, 2, 3}) {
      for (const Recovery scheme : {Recovery::receiver, Recovery::rounds, Recovery::whole_round}) {
        if (scheme == Recovery::whole_round && bytes > 1 << 10) continue;
        benchmark->Args({static_cast<int>(scheme), copies, bytes});
      }
    }
  }
}

BENCHMARK(recovery)
    ->Apply(all_schemes)
    ->ArgNames({"scheme", "copies", "bytes"})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->MinTime(5.0);

}  // namespace
}  // namespace lbsp::transport::bench
