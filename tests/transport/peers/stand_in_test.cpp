#include "transport/peers/stand_in.hpp"

#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "tests/transport/room_state.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// What rank 0 on a host of its own knows of ranks 1 to 3 on the next one, and of rank 4 on a third.
struct Measured {
  explicit Measured(std::vector<std::uint16_t> hosts = {0, 1, 1, 1, 2})
      : state(config(std::move(hosts)), start) {}

  EndpointState state;

  static EndpointConfig config(std::vector<std::uint16_t> hosts) {
    EndpointConfig config = testing::config_of(5);
    config.hosts = std::move(hosts);
    return config;
  }
  void measure(Rank rank, Duration round_trip) {
    PathEstimate& times = state.peers[rank].path.times;
    times.sent(0, start);
    times.echoed({1, 0}, start + round_trip);
  }
  Rank stand_in_for(Rank rank) const { return transport::stand_in_for(state.peers[rank], state).rank; }
};

TEST(StandIn, is_the_rank_of_the_same_host_that_takes_longest) {
  Measured of;
  of.measure(1, 5ms);
  of.measure(2, 9ms);
  of.measure(4, 30ms);
  EXPECT_EQ(of.stand_in_for(3), 2);
  of.measure(3, 1ms);
  EXPECT_EQ(of.stand_in_for(3), 3) << "it has been measured itself";
  EXPECT_EQ(of.stand_in_for(2), 2);
}

TEST(StandIn, is_the_peer_itself_where_none_of_its_host_has_been_measured) {
  Measured of;
  of.measure(4, 30ms);
  EXPECT_EQ(of.stand_in_for(1), 1);
}

TEST(StandIn, is_the_peer_itself_where_another_measurement_has_told_of_it) {
  Measured of;
  of.measure(1, 5ms);
  of.state.peers[2].path.times.assume(3ms, 1ms);
  EXPECT_EQ(of.stand_in_for(2), 2);
}

TEST(StandIn, is_the_peer_itself_where_hosts_are_not_known) {
  Measured of(std::vector<std::uint16_t>{});
  of.measure(1, 5ms);
  EXPECT_EQ(of.stand_in_for(2), 2);
}

}  // namespace
}  // namespace lbsp::transport
