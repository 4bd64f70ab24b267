// Messages of one datagram on fast links: no train shows how fast it arrives.
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>

#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/planned_job.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

namespace lbsp::plan {
namespace {

using namespace std::chrono_literals;
using namespace transport;

struct FastLinks {
  Rank hosts;
  const char* wan;
  double megabits;
};

struct ShortSupersteps {
  double seconds = 0;  ///< of one, the 801st to the 1000th
  double dropped = 0;  ///< a part of all datagrams
};

/// Each rank sends 1 KiB to each other one. A rate that is to be found begins with 100 Mbit/s.
ShortSupersteps short_supersteps(const FastLinks& network, bool found) {
  SimulationConfig config = planned_job(network.hosts, network.wan, found ? 0 : network.megabits);
  give_links(config, {megabits_per_second(network.megabits), 125'000});
  RunningJob job(config, [](Rank, Rank) { return std::size_t{1024}; });
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= 1000; }, Instant{1min});
  return {job.mean_seconds(800), part_dropped(config.topology)};
}

TEST(HeldTrains, let_a_rate_rise_that_is_to_be_found) {
  for (const FastLinks& network : {FastLinks{16, "rtt=500us", 1000}, FastLinks{16, "rtt=2ms", 1000},
                                   FastLinks{8, "rtt=500us,loss=1%", 1000}, FastLinks{16, "rtt=1ms", 300}}) {
    const ShortSupersteps found = short_supersteps(network, true);
    EXPECT_LT(found.seconds, 1.15 * short_supersteps(network, false).seconds)
        << network.hosts << " hosts, " << network.megabits << " Mbit/s, " << network.wan;
    EXPECT_LT(found.dropped, 0.01) << network.wan;
  }
}

}  // namespace
}  // namespace lbsp::plan
