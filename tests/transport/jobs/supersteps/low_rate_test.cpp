#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/transport/simulated_run.hpp"

/// Every rate from 100 kbit/s on ends, in about the time that the data alone takes.
namespace lbsp::transport::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t message_bytes = 8'000;
constexpr std::uint32_t supersteps = 3;

Bytes pattern(std::uint32_t superstep, Rank from, Rank to) {
  Bytes bytes(message_bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(i * 7 + superstep + static_cast<unsigned>(31 * from + to));
  return bytes;
}

class Coded final : public RedundancyPlanner {
 public:
  LegForecast plan(const LegOutline&, std::span<MessagePlan> plans) override {
    for (MessagePlan& plan : plans)
      plan = {1, true, 2, 0};
    return {};
  }
  int repairs_for(int lacking, int, const PathForecast&) const override { return lacking + 1; }
};

struct Network {
  const char* name;
  const char* wan;
  bool coded;
};

using Cell = std::tuple<Network, double, Rank>;

class LowRate : public ::testing::TestWithParam<Cell> {
 protected:
  static SimulatedSupersteps job() {
    const auto& [network, megabits, size] = GetParam();
    SimulatedSupersteps job;
    job.config.size = size;
    job.config.options.rate = megabits_per_second(megabits);
    job.config.wan = parse_wan_spec(network.wan);
    if (network.coded) job.config.planner = [](Rank) { return std::make_unique<Coded>(); };
    job.supersteps = supersteps;
    job.message = pattern;
    return job;
  }
};

TEST_P(LowRate, a_superstep_takes_about_as_long_as_its_data_and_the_wire_carries_no_more_than_the_rate) {
  const SimulatedSupersteps job = this->job();
  const ExchangeOptions& options = job.config.options;
  const double datagram = static_cast<double>(options.datagram_bytes);
  const double others = job.config.size - 1;
  const double segments =
      others * static_cast<double>(segments_of(message_bytes, options.datagram_bytes - data_overhead_bytes));
  const Duration data = options.rate.time_for(segments * datagram);
  SimulatedRun run(job);
  run.complete(100 * data + 10s);
  if (HasFatalFailure()) return;

  const Economy& economy = run.economy();
  const bool clean = economy.lost() == 0;
  EXPECT_LT(economy.per_superstep(), (clean ? 1.15 : 2.0) * data + 2 * job.config.wan.round_trip_time + 30ms)
      << economy.text();
  const double seconds = std::chrono::duration<double>(economy.elapsed()).count();
  const double burst = 5 * datagram + 3 * others * 100;  // the last are three FIN to each
  EXPECT_LT(static_cast<double>(economy.busiest_rank_bytes()), options.rate.value * seconds + burst);
  economy.expect_no_waste(job.config.size);
}

INSTANTIATE_TEST_SUITE_P(
    Grid, LowRate,
    ::testing::Combine(::testing::Values(Network{"clean", "rtt=0ms", false},
                                         Network{"rtt", "rtt=20ms", false},
                                         Network{"loss", "loss=10%,rtt=20ms", false},
                                         Network{"duplicate", "duplicate=50%", false},
                                         Network{"coded", "duplicate=50%,loss=10%", true}),
                       ::testing::Values(0.1, 0.3, 1.0, 2.0, 10.0), ::testing::Values(2, 4, 7, 9)),
    [](const auto& instance) {
      return fmt::format("{}_{}k_{}", std::get<0>(instance.param).name,
                         std::lround(std::get<1>(instance.param) * 1000), std::get<2>(instance.param));
    });

}  // namespace
}  // namespace lbsp::transport::testing
