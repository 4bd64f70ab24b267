#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <string>

#include "lbsp/plan/model_planner.hpp"
#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/planned_job.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// Messages of one datagram on links of a few hundred kilobits, of which the ranks were told.
namespace lbsp::plan {
namespace {

using transport::start;
using namespace std::chrono_literals;
using namespace transport;

struct Tiny {
  Rank size;
  double megabits;
  const char* wan;
  std::size_t message_bytes;

  friend std::ostream& operator<<(std::ostream& out, const Tiny& tiny) {
    return out << tiny.size << " ranks, " << tiny.message_bytes << " bytes, " << tiny.megabits << " Mbit/s, "
               << tiny.wan;
  }
};

SimulationConfig tiny_job(const Tiny& tiny, const ExchangeOptions& redundancy) {
  SimulationConfig config = planned_job(tiny.size, tiny.wan, tiny.megabits);
  config.planner = [=](Rank) { return std::make_unique<ModelPlanner>(redundancy); };
  give_links(config, {megabits_per_second(tiny.megabits), 30'000});
  return config;
}

/// Of a superstep in the mean, all to all.
double superstep_seconds(const Tiny& tiny, const ExchangeOptions& redundancy) {
  RunningJob job(tiny_job(tiny, redundancy), [&](Rank, Rank) { return tiny.message_bytes; });
  SharedTime time;
  time.add(job);
  time.run_until([] { return false; }, start + 40s);
  return job.mean_seconds(10);
}

class TinyMessages : public ::testing::TestWithParam<Tiny> {};

/// A burst that fills the link's queue makes round trips look long, for which more copies are planned, which keep them
/// long; and what waits there already cannot be called off when an answer comes. With four datagrams at once, whatever
/// the rate, they took 2.4, 1.8, 1.8 and 1.6 times as long as the best number of copies does now.
TEST_P(TinyMessages, take_little_longer_than_with_the_best_number_of_copies) {
  double best = 1e9;
  for (const int copies : {1, 2, 3})
    best = std::min(best, superstep_seconds(GetParam(), {.redundancy = Redundancy::fixed, .copies = copies}));
  EXPECT_LT(superstep_seconds(GetParam(), {.redundancy = Redundancy::automatic}), 1.35 * best);
}

INSTANTIATE_TEST_SUITE_P(Grid, TinyMessages,
                         ::testing::Values(Tiny{4, 0.5, "rtt=20ms,loss=5%", 500},
                                           Tiny{6, 0.2, "rtt=20ms,loss=5%", 500},
                                           Tiny{6, 0.2, "rtt=100ms,loss=5%", 500},
                                           Tiny{4, 1, "rtt=50ms,loss=5%", 1024}));

}  // namespace
}  // namespace lbsp::plan
