#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include "tests/transport/simulated_run.hpp"
#include "transport/fixed_redundancy.hpp"
#include "transport/impairment/random.hpp"

/// A hundred thousand supersteps, with faults now and then: memory stays bounded, nothing stands still for much
/// longer than a fault lasts, and nothing is wasted.
namespace lbsp::transport::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t supersteps = 100'000;
constexpr Duration limit = 2s;
constexpr Duration longest_fault = 800ms;

/// Buffers grow to the largest that a fault fills, and keep their size. Four bytes for each superstep would
/// be more.
constexpr std::size_t steady_bytes = 384 << 10;

/// Bytes that this process has allocated and not freed; 0 where the C library does not say.
std::size_t allocated() {
#ifdef __GLIBC__
  const auto heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
#else
  return 0;
#endif
}

struct Journey {
  const char* name;
  const char* wan;
  Rank size;
  bool faults;
  void (*change)(SimulationConfig&) = nullptr;
  std::size_t most_bytes = 100;
  friend void PrintTo(const Journey& journey, std::ostream* out) { *out << journey.name; }
};

void whole_rounds(SimulationConfig& config) {
  config.options.recovery = Recovery::whole_round;
}
void two_coded(SimulationConfig& config) {
  config.planner = [](Rank) { return std::make_unique<FixedRedundancy>(1, 2); };
  config.options.datagram_bytes = 256;
}

constexpr Journey journeys[] = {
    {"clean", "rtt=1ms", 2, false},
    {"faults", "rtt=1ms,loss=1%,duplicate=1%,reorder=1%", 3, true},
    {"whole_rounds", "rtt=1ms,loss=1%", 2, false, whole_rounds},
    {"coded", "rtt=1ms,loss=2%,burst=3", 2, true, two_coded, 1000},
};

/// Every five seconds the network is cut somewhere, and then a rank stops, or all do.
void add_faults(FaultPlan& faults, Rank size, Random& random) {
  const auto at_most = [&](Duration time) {
    return Duration{static_cast<Duration::rep>(random.unit() * static_cast<double>(time.count()))};
  };
  const auto anyone = [&] {
    return static_cast<Rank>(random.below(static_cast<std::uint64_t>(size) + 1)) - 1;
  };
  for (Duration at = 1s; at < 5min; at += 5s) {
    const Duration cut = at + at_most(1s);
    faults.outages.push_back({anyone(), anyone(), cut, cut + at_most(longest_fault)});
    const Duration stop = at + 2500ms + at_most(1s);
    faults.freezes.push_back({anyone(), stop, stop + at_most(longest_fault)});
  }
}

class Endurance : public ::testing::TestWithParam<Journey> {};

TEST_P(Endurance, of_a_hundred_thousand_supersteps) {
  const Journey& journey = GetParam();
  Random random(1);
  SimulatedSupersteps job;
  job.supersteps = supersteps;
  job.config.size = journey.size;
  job.config.wan = parse_wan_spec(journey.wan);
  job.config.options.peer_timeout = limit;
  if (journey.change != nullptr) journey.change(job.config);
  if (journey.faults) add_faults(job.config.faults, journey.size, random);

  std::size_t early = 0;
  std::size_t late = 0;
  job.message = [&](std::uint32_t superstep, Rank from, Rank to) {
    if (superstep >= supersteps / 20 && superstep < supersteps / 10) early = std::max(early, allocated());
    if (superstep >= supersteps - supersteps / 20) late = std::max(late, allocated());
    const std::size_t bytes = superstep % 16 == 0 ? journey.most_bytes : superstep % 3;
    return Bytes(bytes, static_cast<std::byte>(superstep * 16 + static_cast<std::uint32_t>(4 * from + to)));
  };
  SimulatedRun run(job);
  run.complete();
  if (HasFatalFailure()) return;
  EXPECT_LE(late, early + steady_bytes);
  EXPECT_LT(run.longest_standstill(), longest_fault + 300ms);
  run.economy().expect_no_waste(journey.size);
}

INSTANTIATE_TEST_SUITE_P(Journeys, Endurance, ::testing::ValuesIn(journeys),
                         [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace lbsp::transport::testing
