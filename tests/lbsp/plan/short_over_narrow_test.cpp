#include <cstddef>
#include <gtest/gtest.h>

#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/planned_job.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// Short messages over paths that carry no datagrams of the usual length, which these messages do not need.
namespace lbsp::plan {
namespace {

using transport::start;
using namespace std::chrono_literals;
using namespace transport;

struct CostOverNarrow {
  double seconds = 0;         ///< of a superstep
  double bytes_per_byte = 0;  ///< on the wire, of each of a message
};

/// The mean of some seeds. Four hosts of four ranks, which all send 200 bytes to rank 0, and were told a quarter of the
/// links' rate.
CostOverNarrow supersteps_over(const char* wan) {
  constexpr std::size_t message_bytes = 200;
  constexpr std::size_t supersteps = 20;
  constexpr std::uint64_t seeds = 4;
  constexpr Rank ranks = 16;
  CostOverNarrow mean;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SimulationConfig config = planned_job(ranks, wan, 0.6);
    config.seed = seed;
    config.options.find_datagram = true;
    config.options.datagram_bytes = 1472;
    give_links(config, {megabits_per_second(2.5), 4000}, 4);
    RunningJob job(config, [](Rank, Rank to) { return to == 0 ? message_bytes : 0; });
    SharedTime time;
    time.add(job);
    EXPECT_TRUE(time.run_until([&] { return job.supersteps() >= supersteps; }, start + 300s)) << seed;
    const double bytes = supersteps * (ranks - 1) * static_cast<double>(message_bytes);
    mean.seconds += job.mean_seconds(0) / seeds;
    mean.bytes_per_byte += static_cast<double>(job.traffic().wire_bytes_sent) / bytes / seeds;
  }
  return mean;
}

/// Whether 1200 bytes pass was tried for each peer, again and again, while its data waited: a superstep took twice as
/// long as where they pass, with 49 bytes on the wire for each of a message.
TEST(ShortOverNarrow, does_not_wait_for_trials_of_lengths_that_it_does_not_need) {
  const CostOverNarrow narrow = supersteps_over("rtt=0.3ms,loss=5%,mtu=576");
  const CostOverNarrow wide = supersteps_over("rtt=0.3ms,loss=5%");
  EXPECT_LT(narrow.seconds, 1.5 * wide.seconds);
  EXPECT_LT(narrow.bytes_per_byte, 1.3 * wide.bytes_per_byte);
}

}  // namespace
}  // namespace lbsp::plan
