#include <algorithm>
#include <benchmark/benchmark.h>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "algorithms/bitonic_sort.hpp"
#include "algorithms/compare_split.hpp"
#include "algorithms/sort_verification.hpp"
#include "benchmarks/algorithms/world_team.hpp"
#include "model/program.hpp"
#include "model/superstep_time.hpp"

/// What a rank computes in a bitonic sort beside the standard library, and the sort of four ranks beside the
/// model. The ranks are threads of one process; over UDP each has a real socket and an I/O thread.
namespace lbsp::bench {
namespace {

using namespace std::chrono_literals;
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

enum Network { threads, no_delay, wide_area };
constexpr Rank ranks = 4;
constexpr int copies = 2;

transport::ExchangeOptions options_of(Network network) {
  transport::ExchangeOptions options;
  options.copies = network == wide_area ? copies : 1;
  if (network == wide_area) options.rate = transport::megabits_per_second(100);
  return options;
}

std::vector<std::unique_ptr<transport::Exchange>> exchanges_of(Network network) {
  if (network == threads) return transport::make_threads_exchanges(ranks);
  std::optional<transport::WanSpec> wan;
  if (network == wide_area) wan = transport::parse_wan_spec("loss=10%,rtt=70ms");
  return udp_exchanges(ranks, options_of(network), wan);
}

/// What the model says the supersteps of one sort take, the one in which the ranks learn N included.
double modelled_seconds(std::size_t keys, Network network) {
  const auto options = options_of(network);
  const model::PacketPath path{.packet_bytes = static_cast<double>(options.datagram_bytes),
                               .loss = network == wide_area ? 0.1 : 0,
                               .round_trip = network == wide_area ? 0.07 : 0,
                               .bandwidth = options.rate.value};
  const model::Protection protection{.copies = options.copies};
  model::Program program = model::bitonic_sort_program(static_cast<double>(keys), ranks, 1e9);
  program.steps.push_back({});
  double seconds = 0;
  for (const auto& step : program.steps)
    seconds += step.times * model::superstep_time(step, ranks, path, protection).seconds;
  return seconds;
}

struct Totals {
  double communicate = 0;
  double compute = 0;
  double supersteps = 0;
  double payload = 0;
  double wire = 0;
};

/// The slowest rank's times; the bytes of all.
Totals totals_of(WorldTeam& team) {
  Totals totals;
  for (std::size_t rank = 0; rank < team.size(); ++rank) {
    const History& history = team.world(rank).history();
    totals.communicate = std::max(totals.communicate, history.totals().communicate.count());
    totals.compute = std::max(totals.compute, history.totals().compute.count());
    totals.supersteps = static_cast<double>(history.supersteps());
    totals.payload += static_cast<double>(history.totals().traffic.payload_bytes_sent);
    totals.wire += static_cast<double>(history.totals().traffic.wire_bytes_sent);
  }
  return totals;
}

/// A sort of `keys` random doubles on four ranks. model_ms is communication alone, as communicate_ms is,
/// whose waiting for slower ranks the model does not know of.
void sort_on_four_ranks(benchmark::State& state) {
  const auto network = static_cast<Network>(state.range(0));
  const auto keys = static_cast<std::size_t>(state.range(1));
  WorldTeam team(exchanges_of(network));
  std::vector<std::vector<double>> parts;
  for (Rank rank = 0; rank < ranks; ++rank)
    parts.push_back(random_keys(keys / ranks, static_cast<std::uint64_t>(rank) + 1));
  for (int i = 0; network != threads && i < 20; ++i)
    team.run([](World& world) { world.sync(); });  // until the round trip is known

  const Totals before = totals_of(team);
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores)
    auto work = parts;
    const Seconds seconds = team.run([&](World& world) {
      auto& own = work[static_cast<std::size_t>(world.rank())];
      own = algorithms::bitonic_sort(world, std::move(own));
    });
    state.SetIterationTime(seconds.count());
    for (std::size_t rank = 0; rank + 1 < work.size(); ++rank) {
      if (work[rank].back() > work[rank + 1].front()) state.SkipWithError("the keys are not sorted");
    }
  }
  const Totals after = totals_of(team);
  const auto runs = static_cast<double>(state.iterations());
  state.counters["supersteps"] = (after.supersteps - before.supersteps) / runs;
  state.counters["payload_MB"] = (after.payload - before.payload) / runs / 1e6;
  state.counters["wire_MB"] = (after.wire - before.wire) / runs / 1e6;
  state.counters["communicate_ms"] = (after.communicate - before.communicate) / runs * 1e3;
  if (network != threads) state.counters["model_ms"] = modelled_seconds(keys, network) * 1e3;
  state.SetItemsProcessed(state.iterations() * state.range(1));
}

BENCHMARK(sort_on_four_ranks)
    ->ArgsProduct({{threads, no_delay, wide_area}, {1 << 12, 1 << 16, 1 << 20}})
    ->ArgNames({"network", "keys"})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->MinTime(1.0);

}  // namespace
}  // namespace lbsp::bench
