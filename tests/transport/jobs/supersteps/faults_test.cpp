#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/transport/simulated_run.hpp"
#include "transport/impairment/random.hpp"

/// Every fault at once, over many seeds: what is handed over arrives exactly once and intact, superstep after
/// superstep, in bounded time, and the same seed gives the same trace.
namespace lbsp::transport::testing {
namespace {

using namespace std::chrono_literals;

constexpr int seeds = 200;
constexpr int seeds_per_test = 25;
constexpr int supersteps_per_seed = 50;

/// Plans that no reason would make: copies, coded segments, parts unprotected, and repairs of any number.
class RandomPlanner final : public RedundancyPlanner {
 public:
  explicit RandomPlanner(std::uint64_t seed) : random_(seed) {}

  LegForecast plan(const LegOutline& leg, std::span<MessagePlan> plans) override {
    for (std::size_t i = 0; i < plans.size(); ++i) {
      plans[i].copies = static_cast<int>(1 + random_.below(3));
      plans[i].coded = random_.below(4) != 0;
      plans[i].repair_segments = static_cast<int>(random_.below(random_.below(4) == 0 ? 129 : 12));
      if (random_.below(3) == 0)
        plans[i].first_protected = static_cast<std::uint32_t>(random_.below(leg.messages[i].segments + 1));
    }
    return {};
  }
  int repairs_for(int lacking, int earlier, const PathForecast& path) const override {
    return lacking + earlier + static_cast<int>(10 * path.loss);
  }

 private:
  Random random_;
};

/// What `from` sends `to` in a superstep: any receiver can tell every byte of it.
Bytes message(std::uint64_t seed, std::size_t largest, std::uint32_t superstep, Rank from, Rank to) {
  Random random(seed * 1'000'003 + superstep * 1009UL + static_cast<unsigned>(from * 31 + to));
  const std::uint64_t kind = random.below(4);
  const std::size_t size = kind == 0 ? 0 : kind == 1 ? random.below(100) : random.below(largest);
  Bytes bytes(size);
  std::uint64_t drawn = 0;
  for (std::size_t i = 0; i < size; ++i, drawn >>= 8) {
    if (i % sizeof drawn == 0) drawn = random.next();
    bytes[i] = static_cast<std::byte>(drawn);
  }
  return bytes;
}

/// A job drawn from the seed: ranks, options and a network with loss up to 30 % in bursts, reordering,
/// duplication, corruption, jitter and short queues.
SimulatedSupersteps draw_job(std::uint64_t seed) {
  Random random(seed);
  SimulatedSupersteps job;
  job.supersteps = supersteps_per_seed;
  job.config.seed = seed;
  job.config.size = static_cast<Rank>(2 + random.below(4));
  if (seed % 4 == 0) job.config.cipher = Cipher::chacha20_poly1305;
  ExchangeOptions& options = job.config.options;
  options.copies = static_cast<int>(1 + random.below(4));
  options.datagram_bytes = random.below(2) == 0 ? 1400 : 300 + random.below(700);
  options.rate = megabits_per_second(50 + static_cast<double>(random.below(950)));
  // One seed in five runs a scheme of the paper; whole rounds only with messages small enough to get through.
  if (seed % 5 == 0) options.recovery = seed % 10 == 0 ? Recovery::whole_round : Recovery::rounds;

  WanSpec& wan = job.config.wan;
  wan.loss = 0.02 + 0.28 * random.unit();
  wan.burst = 1 + 4 * random.unit();
  wan.round_trip_time = std::chrono::microseconds{random.below(80'000)};
  wan.jitter = wan.round_trip_time / static_cast<int>(4 + random.below(20));
  wan.reorder = 0.1 * random.unit();
  wan.duplicate = 0.1 * random.unit();
  wan.corrupt = 0.02 * random.unit();
  if (random.below(3) == 0) {
    wan.rate = megabits_per_second(options.rate.value * 8e-6 * (0.8 + random.unit()));
    wan.queue_bytes = 50'000 + random.below(200'000);
  }
  if (seed % 2 == 0) {
    job.config.planner = [seed](Rank rank) {
      return std::make_unique<RandomPlanner>(seed * 100 + static_cast<std::uint64_t>(rank));
    };
  }
  const std::size_t largest = options.recovery == Recovery::whole_round ? 500
                              : random.below(4) == 0                    ? 200'000
                                                                        : 8'000;
  job.message = [seed, largest](std::uint32_t superstep, Rank from, Rank to) {
    return message(seed, largest, superstep, from, to);
  };
  return job;
}

class EveryFaultAtOnce : public ::testing::TestWithParam<int> {};

TEST_P(EveryFaultAtOnce, delivers_every_byte_exactly_once_and_intact) {
  for (int seed = GetParam(); seed < GetParam() + seeds_per_test; ++seed) {
    const SimulatedSupersteps job = draw_job(static_cast<std::uint64_t>(seed));
    SimulatedRun run(job);
    run.complete();
    if (HasFatalFailure()) return;
    EXPECT_GT(run.network().impairment().lost, 0u) << "seed " << seed << " lost nothing, so it tried nothing";
    run.economy().expect_no_waste(job.config.size);
  }
}

TEST_P(EveryFaultAtOnce, the_same_seed_gives_the_same_trace) {
  const SimulatedSupersteps job = draw_job(static_cast<std::uint64_t>(GetParam()));
  SimulatedRun first(job);
  SimulatedRun second(job);
  first.complete();
  second.complete();
  EXPECT_EQ(first.trace_hash(), second.trace_hash());
  SimulatedSupersteps other = job;
  ++other.config.seed;
  SimulatedRun third(other);
  third.complete();
  EXPECT_NE(first.trace_hash(), third.trace_hash());
}

INSTANTIATE_TEST_SUITE_P(Seeds, EveryFaultAtOnce, ::testing::Range(1, seeds, seeds_per_test));

}  // namespace
}  // namespace lbsp::transport::testing
