#include <chrono>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>

#include "lbsp/plan/model_planner.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// Delays that vary before a link that carries just the rate: behind it datagrams come out even, as from a queue.
namespace lbsp::plan {
namespace {

using transport::start;
using namespace std::chrono_literals;
using namespace transport;

/// Of a superstep of 1 MiB per pair, the first or in the mean after two, on links of 50 Mbit/s with an RTT of 20 ms.
double seconds(Rank ranks, const char* jitter, bool told, bool first = false, std::uint64_t seed = 1) {
  SimulationConfig config;
  config.size = ranks;
  config.seed = seed;
  config.wan = parse_wan_spec(fmt::format("rtt=20ms,jitter={}", jitter));
  config.options.rate = megabits_per_second(50);
  config.options.find_rate = !told;
  config.planner = [](Rank) {
    return std::make_unique<ModelPlanner>(ExchangeOptions{.redundancy = Redundancy::automatic});
  };
  if (cipher_available(Cipher::aes256_gcm)) config.cipher = Cipher::aes256_gcm;
  const auto link = [] {
    return std::make_shared<Bottleneck>(BottleneckSpec{megabits_per_second(50), 125'000});
  };
  for (Rank rank = 0; rank < ranks; ++rank)
    config.topology.hosts.push_back({1, link(), link()});
  RunningJob job(config, [](Rank, Rank) { return std::size_t{1} << 20; });
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= 8; }, start + 120s);
  return first ? job.seconds(0) : job.mean_seconds(2);
}

/// Single jobs of two take 0.2 to 0.6 s, as when a rate falls is chance.
TEST(VaryingDelays, that_come_out_of_a_full_link_evenly_are_no_queue_to_a_found_rate) {
  constexpr std::uint64_t seeds = 8;
  double of_two = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    of_two += seconds(2, "20ms", false, false, seed) / seeds;
  EXPECT_LT(of_two, 0.4);
  EXPECT_LT(seconds(4, "20ms", false), 0.8);
}

TEST(VaryingDelays, that_come_out_of_a_full_link_evenly_are_no_queue_to_a_told_rate) {
  EXPECT_LT(seconds(2, "20ms", true), 0.21);
  EXPECT_LT(seconds(2, "20ms", true, true), 0.23);
  EXPECT_LT(seconds(2, "5ms", true), 0.2);
  EXPECT_LT(seconds(4, "20ms", true), 0.57);
}

}  // namespace
}  // namespace lbsp::plan
