#include <chrono>
#include <gtest/gtest.h>

#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/planned_job.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// Supersteps that take many round trips.
namespace lbsp::plan {
namespace {

using transport::start;
using namespace std::chrono_literals;
using namespace transport;

/// Eight hosts that are told their 100 Mbit/s, 1 MiB for each pair: the bytes take 653 ms and half a round trip.
double seconds_at_ten_percent() {
  SimulationConfig config = planned_job(8, "rtt=70ms,loss=10%", 100);
  config.options.datagram_bytes = 1472;
  give_links(config, {megabits_per_second(100), 875'000});
  RunningJob job(config, [](Rank, Rank) { return std::size_t{1} << 20; });
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= 12; }, start + 60s);
  EXPECT_GE(job.supersteps(), 12U);
  return job.mean_seconds(2);
}

/// What is lost early is known in time to be sent again, and needs nothing in advance against being lost again: with
/// that, supersteps take 0.738 s.
TEST(LongMessages, are_not_repaired_twice_while_there_is_time) {
  EXPECT_LT(seconds_at_ten_percent(), 0.735);
}

}  // namespace
}  // namespace lbsp::plan
