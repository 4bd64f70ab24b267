#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/transport/simulated_run.hpp"
#include "transport/fixed_redundancy.hpp"

/// What a superstep costs in each kind of network or fault. Waste gives no wrong answer: figures show it.
namespace lbsp::transport::testing {
namespace {

using namespace std::chrono_literals;

constexpr Rank size = 4;
constexpr double pairs = size * (size - 1);

/// Of one superstep, its share of the end included: datagrams and wake-ups of a pair of ranks, and the time.
struct Cost {
  double planned;
  double repairs;
  double reports;
  double wake_ups;
  double milliseconds;
};

struct Scenario {
  const char* name;
  const char* wan;
  std::size_t bytes;  ///< from each rank to each
  Cost seen;          ///< the mean over 400 runs
  void (*change)(SimulationConfig&) = nullptr;
  std::uint32_t supersteps = 20;
  std::uint64_t seeds = 8;

  friend void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }
};

/// How far the mean over a scenario's seeds may be above what was seen. No other seeds of 400 reach it.
constexpr double margin = 1.15;

void two_copies(SimulationConfig& config) {
  config.options.copies = 2;
}
void coded(SimulationConfig& config) {
  config.planner = [](Rank) { return std::make_unique<FixedRedundancy>(1, 4); };
}
void selective_rounds(SimulationConfig& config) {
  config.options.recovery = Recovery::rounds;
}
void whole_rounds(SimulationConfig& config) {
  config.options.recovery = Recovery::whole_round;
}
void low_rate(SimulationConfig& config) {
  config.options.rate = megabits_per_second(2);
}
void outages(SimulationConfig& config) {
  for (Duration begin = 50ms; begin < 3s; begin += 500ms)
    config.faults.outages.push_back({FaultPlan::every, FaultPlan::every, begin, begin + 100ms});
}
void low_rate_and_outages(SimulationConfig& config) {
  low_rate(config);
  outages(config);
}
void a_rank_that_stops(SimulationConfig& config) {
  for (Duration begin = 50ms; begin < 3s; begin += 500ms)
    config.faults.freezes.push_back({1, begin, begin + 100ms});
}
void a_small_buffer(SimulationConfig& config) {
  config.faults.socket_datagrams = 30;
  for (Duration begin = 5ms; begin < 1s; begin += 20ms)
    config.faults.freezes.push_back({1, begin, begin + 10ms});
}
void narrows(SimulationConfig& config) {
  config.faults.narrowings.push_back({FaultPlan::every, FaultPlan::every, 100ms, 1300, false});
}
void narrows_and_is_told(SimulationConfig& config) {
  config.faults.narrowings.push_back({FaultPlan::every, FaultPlan::every, 100ms, 1300, true});
}

// clang-format off
const Scenario scenarios[] = {
    //                                                        planned repairs reports wake-ups    ms
    {"empty", "rtt=20ms", 0,                                    {1,     0,     0.3,    0.683,  10}},
    {"clean", "rtt=20ms", 20'000,                               {15,    0,     0.4,    3.43,   10}},
    {"duplicates", "rtt=20ms,duplicate=20%", 20'000,            {15,    0,     0.4,    3.43,   10}},
    {"small_at_loss", "rtt=20ms,loss=10%", 1'000,               {1,     0.29,  0.92,   2.14,   30}},
    {"loss", "rtt=20ms,loss=10%", 20'000,                       {15,    3.25,  7.9,    12.5,   37.3}},
    {"loss_of_30", "rtt=20ms,loss=30%", 20'000,                 {15,    11.3,  13.5,   19.6,   59.6}},
    {"loss_near_by", "rtt=100us,loss=5%", 20'000,               {15,    1.6,   0.83,   6.51,   1.17}},
    {"bursts", "rtt=20ms,loss=10%,burst=5", 20'000,             {15,    3.6,   4.1,    8.74,   38}},
    {"long", "rtt=20ms,loss=10%", 600'000,                      {448,   92,    20.4,   467,    63.9}, nullptr, 2, 2},
    {"reordering", "rtt=20ms,reorder=5%", 20'000,               {15,    1.3,   2.3,    6.36,   17.5}},
    {"jitter", "rtt=20ms,jitter=5ms", 20'000,                   {15,    0.5,   1.1,    4.06,   14.9}},
    {"jitter_and_loss", "rtt=20ms,jitter=5ms,loss=5%", 20'000,  {15,    2.9,   6.7,    10.7,   41}},
    {"corruption", "rtt=20ms,corrupt=5%", 20'000,               {15,    1.63,  5.5,    9.67,   33.2}},
    {"short_queue", "rtt=20ms,rate=50Mbit,queue=50KiB", 100'000,{75,    234,   39.6,   140,    150}, nullptr, 5, 1},
    {"copies", "rtt=20ms,loss=10%", 20'000,                     {30,    0.36,  2.7,    8.96,   26}, two_copies},
    {"coded", "rtt=20ms,loss=10%", 100'000,                     {79,    8.5,   8.65,   76.1,   34.5}, coded, 10, 2},
    {"coded_at_loss_of_30", "rtt=20ms,loss=30%", 100'000,       {79,    40.8,  10.7,   86.9,   38.8}, coded, 10, 2},
    {"rounds", "rtt=20ms,loss=10%", 20'000,                     {15,    3.75,  18,     3.1,    179}, selective_rounds},
    {"whole_rounds", "rtt=20ms,loss=5%", 1'000,                 {1,     0.37,  1.51,   1,      89}, whole_rounds},
    {"low_rate", "rtt=20ms", 20'000,                            {15,    0,     22.1,   59.2,   274}, low_rate},
    {"low_rate_and_loss", "rtt=20ms,loss=10%", 20'000,          {15,    3.35,  26.9,   72.9,   354}, low_rate},
    {"outages", "rtt=20ms,loss=2%", 20'000,                     {15,    2.9,   3.54,   8.43,   40}, outages},
    {"low_rate_and_outages", "rtt=20ms", 60'000,                {45,    22.3,  96.5,   259,    1204}, low_rate_and_outages, 2, 1},
    {"a_rank_that_stops", "rtt=20ms,loss=2%", 20'000,           {15,    1.1,   3,      7.37,   37.3}, a_rank_that_stops},
    {"a_small_buffer", "rtt=1ms", 200'000,                      {150,   9.2,   72,     31,     75.4}, a_small_buffer, 5, 1},
    {"narrow", "rtt=20ms", 19'000,                              {16.9,  1.5,   4.67,   4.42,   13.5}, narrows, 20, 1},
    {"narrow_and_told", "rtt=20ms", 19'000,                     {16.4,  0,     0.45,   4.13,   10.1}, narrows_and_is_told, 20, 1},
};
// clang-format on

SimulatedSupersteps job(const Scenario& scenario, std::uint64_t seed) {
  SimulatedSupersteps job;
  job.config.seed = seed;
  job.config.size = size;
  job.config.wan = parse_wan_spec(scenario.wan);
  if (scenario.change != nullptr) scenario.change(job.config);
  job.supersteps = scenario.supersteps;
  job.message = [bytes = scenario.bytes](std::uint32_t superstep, Rank from, Rank to) {
    return Bytes(bytes, static_cast<std::byte>(superstep * 64 + static_cast<std::uint32_t>(8 * from + to)));
  };
  return job;
}

class EconomyOf : public ::testing::TestWithParam<Scenario> {};

TEST_P(EconomyOf, a_superstep_costs_no_more_than_was_seen) {
  const Scenario& scenario = GetParam();
  const double runs = static_cast<double>(scenario.seeds);
  const double share = pairs * scenario.supersteps * runs;
  Cost mean{};
  for (std::uint64_t seed = 1; seed <= scenario.seeds; ++seed) {
    const SimulatedSupersteps job = testing::job(scenario, seed);
    SimulatedRun run(job);
    run.complete();
    if (HasFatalFailure()) return;
    const Economy& economy = run.economy();
    mean.planned += static_cast<double>(economy.planned()) / share;
    mean.repairs += static_cast<double>(economy.repairs()) / share;
    mean.reports += static_cast<double>(economy.reports()) / share;
    mean.wake_ups += static_cast<double>(economy.wake_ups()) / share;
    mean.milliseconds += std::chrono::duration<double, std::milli>(economy.per_superstep()).count() / runs;
  }
  EXPECT_LE(mean.planned, 1.01 * scenario.seen.planned);
  EXPECT_LE(mean.repairs, margin * scenario.seen.repairs);
  EXPECT_LE(mean.reports, margin * scenario.seen.reports);
  EXPECT_LE(mean.wake_ups, margin * scenario.seen.wake_ups);
  EXPECT_LE(mean.milliseconds, margin * scenario.seen.milliseconds);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, EconomyOf, ::testing::ValuesIn(scenarios),
                         [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace lbsp::transport::testing
