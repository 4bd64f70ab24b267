#pragma once

#include <algorithm>
#include <atomic>
#include <barrier>
#include <benchmark/benchmark.h>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "benchmarks/transport/rank_team.hpp"
#include "lbsp/world.hpp"
#include "transport/threads/threads_exchange.hpp"

namespace lbsp::bench {

/// What carries a benchmark's supersteps.
enum class Carrier { threads, udp, wide_area };

inline const transport::WanSpec& wide_area_spec() {
  static const transport::WanSpec spec = transport::parse_wan_spec("loss=10%,rtt=70ms");
  return spec;
}

inline transport::ExchangeOptions options_of(Carrier carrier) {
  transport::ExchangeOptions options;
  options.copies = carrier == Carrier::wide_area ? 2 : 1;
  options.rate = transport::megabits_per_second(carrier == Carrier::wide_area ? 100 : 1000);
  return options;
}

inline std::vector<std::unique_ptr<transport::Exchange>> make_exchanges(Carrier carrier, Rank ranks) {
  if (carrier == Carrier::threads) return transport::make_threads_exchanges(ranks);
  const auto wan = carrier == Carrier::wide_area ? std::optional(wide_area_spec()) : std::nullopt;
  std::vector<std::unique_ptr<transport::Exchange>> exchanges;
  for (auto& exchange : transport::bench::make_udp_exchanges(ranks, options_of(carrier), wan))
    exchanges.push_back(std::move(exchange));
  return exchanges;
}

/// What a rank does again and again; made once on each rank.
using Deed = std::function<void()>;
using MakeDeed = std::function<Deed(World&)>;

/// Has all ranks do the deed together, once per iteration: the time is from the common start until the last
/// is done. Reports the supersteps of a deed and the bytes of messages that all ranks hand over in it.
inline void measure(benchmark::State& state, Carrier carrier, Rank ranks, const MakeDeed& make) {
  auto exchanges = make_exchanges(carrier, ranks);
  std::barrier<> gate(ranks + 1);
  std::atomic<bool> over = false;
  std::atomic<std::uint64_t> bytes = 0;
  std::atomic<std::uint64_t> supersteps = 0;
  std::atomic<std::uint64_t> deeds = 0;
  std::vector<std::jthread> threads;
  threads.reserve(exchanges.size());
  for (auto& exchange : exchanges) {
    threads.emplace_back([&, mine = std::move(exchange)]() mutable {
      World world(*mine);
      {
        const Deed deed = make(world);
        for (int i = 0; i < 3; ++i)
          deed();  // until the round trip is known and all memory is there
        const std::uint64_t warm_bytes = world.history().totals().traffic.payload_bytes_sent;
        const std::uint64_t warm_supersteps = world.history().supersteps();
        std::uint64_t count = 0;
        for (;; ++count) {
          gate.arrive_and_wait();
          if (over) break;
          deed();
          gate.arrive_and_wait();
        }
        bytes += world.history().totals().traffic.payload_bytes_sent - warm_bytes;
        if (world.rank() == 0) {
          supersteps = world.history().supersteps() - warm_supersteps;
          deeds = count;
        }
      }
      world.finish();
      mine.reset();
    });
  }
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores): the library's own idiom
    gate.arrive_and_wait();
    const auto begin = std::chrono::steady_clock::now();
    gate.arrive_and_wait();
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  over = true;
  gate.arrive_and_wait();
  threads.clear();
  const auto per_deed = static_cast<double>(std::max<std::uint64_t>(deeds, 1));
  state.counters["supersteps"] = static_cast<double>(supersteps) / per_deed;
  state.counters["KiB"] = static_cast<double>(bytes) / 1024 / per_deed;
}

}  // namespace lbsp::bench
