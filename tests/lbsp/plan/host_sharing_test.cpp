#include <chrono>
#include <gtest/gtest.h>
#include <memory>

#include "lbsp/plan/model_planner.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// Ranks of one host, and their uplink.
namespace lbsp::plan {
namespace {

using transport::start;
using namespace std::chrono_literals;
using namespace transport;

std::shared_ptr<Bottleneck> link_of_100_megabits() {
  return std::make_shared<Bottleneck>(BottleneckSpec{megabits_per_second(100), 512 << 10});
}

/// Two hosts of four ranks, told what their uplinks carry.
SimulationConfig two_hosts_of_four() {
  SimulationConfig config;
  config.size = 8;
  config.wan = parse_wan_spec("rtt=40ms");
  config.options.rate = megabits_per_second(100);
  config.planner = [](Rank) {
    return std::make_unique<ModelPlanner>(ExchangeOptions{.redundancy = Redundancy::automatic});
  };
  if (cipher_available(Cipher::aes256_gcm)) config.cipher = Cipher::aes256_gcm;
  config.topology.hosts = {{4, link_of_100_megabits(), link_of_100_megabits()},
                           {4, link_of_100_megabits(), link_of_100_megabits()}};
  return config;
}

/// 16 pairs of 256 KiB on a link: 354 ms with headers, and 20 ms under way.
TEST(HostSharing, ranks_of_one_host_share_the_rate_that_is_told) {
  const SimulationConfig config = two_hosts_of_four();
  RunningJob job(config, [](Rank, Rank) { return 256U << 10; });
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= 10; }, start + 30s);
  EXPECT_LT(job.mean_seconds(2), 1.05 * 0.374);
  for (const auto& host : config.topology.hosts)
    EXPECT_EQ(host.uplink->drops(), 0U);
}

/// At the uplink's share, 4 MiB for each of three would take 4 s.
TEST(HostSharing, messages_within_a_host_do_not_wait_for_its_uplink) {
  const SimulationConfig config = two_hosts_of_four();
  RunningJob job(config, [](Rank from, Rank to) { return from / 4 == to / 4 ? 4U << 20 : 1000U; });
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= 4; }, start + 30s);
  EXPECT_LT(job.mean_seconds(1), 0.15);
}

}  // namespace
}  // namespace lbsp::plan
