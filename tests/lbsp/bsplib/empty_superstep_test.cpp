#include <cstdint>
#include <mutex>
#include <vector>

#include "tests/lbsp/bsplib/over_backends.hpp"
#include "transport/simulated/simulated_job.hpp"

namespace lbsp {
namespace {

/// The datagrams, acknowledgements included, that the superstep in the middle of a few cost all ranks
/// together.
std::uint64_t datagrams_of_an_empty_superstep(Rank ranks) {
  transport::SimulatedJobConfig config;
  config.network.size = ranks;
  config.network.wan = transport::parse_wan_spec("rtt=10ms");
  config.network.options.copies = 1;
  std::mutex adding;
  std::uint64_t sum = 0;
  transport::run_simulated(config, [&](transport::Exchange& exchange) {
    World world(exchange);
    {
      bsplib::Spmd spmd(world);
      const bsplib::Attached attached(spmd);
      for (int step = 0; step < 5; ++step)
        bsp_sync();
    }
    world.finish();
    const std::lock_guard lock(adding);
    sum += world.history().records()[3].traffic.datagrams_sent;
  }).rethrow_first_error();
  return sum;
}

TEST(BsplibEmptySuperstep, costs_one_datagram_for_each_ordered_pair) {
  for (const Rank ranks : {1, 2, 4, 7})
    EXPECT_EQ(datagrams_of_an_empty_superstep(ranks), static_cast<std::uint64_t>(ranks * (ranks - 1)));
}

}  // namespace
}  // namespace lbsp
