#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/transport/scripted_superstep.hpp"
#include "transport/simulated/network.hpp"

/// At a rate at which nothing gets on, a job ends by the limit of silence.
namespace lbsp::transport::testing {
namespace {

using ::testing::HasSubstr;

TEST(SlowestRate, at_one_bit_a_second_a_job_ends_by_the_peer_timeout_and_says_why) {
  for (const Duration timeout : {Duration{2s}, Duration{15s}}) {
    for (const Rank size : {2, 3}) {
      SimulationConfig config;
      config.size = size;
      config.options.rate = {0.125};
      config.options.peer_timeout = timeout;
      config.options.find_datagram = true;
      config.wan.round_trip_time = 2ms;
      SimulatedNetwork network(config);
      for (Rank rank = 0; rank < size; ++rank) {
        network.act(rank, [&](Endpoint& endpoint, Instant now) {
          endpoint.begin_exchange(std::vector<Bytes>(static_cast<std::size_t>(size), Bytes(4000)), now);
        });
      }
      const auto failed = [&] {
        for (Rank rank = 0; rank < size; ++rank) {
          if (network.endpoint(rank).failure()) return true;
        }
        return false;
      };
      EXPECT_TRUE(network.run_until(failed, network.now() + 2 * timeout)) << size;
      for (Rank rank = 0; rank < size; ++rank) {
        if (const auto& failure = network.endpoint(rank).failure()) {
          EXPECT_THAT(failure->message,
                      HasSubstr("a datagram of 1200 bytes takes 9600 s: give a higher --rate"));
        }
      }
    }
  }
}

}  // namespace
}  // namespace lbsp::transport::testing
