#include "transport/peers/network_measure.hpp"

#include <gtest/gtest.h>
#include <vector>

#include "tests/transport/room_state.hpp"

namespace lbsp::transport {
namespace {

using namespace testing;

constexpr BytesPerSecond arrived{12'500'000};

/// Rank 0 of a job on hosts with these numbers, by rank.
EndpointState on_hosts(std::vector<std::uint16_t> hosts) {
  EndpointConfig config = config_of(static_cast<Rank>(hosts.size()));
  config.hosts = std::move(hosts);
  return {std::move(config), start};
}

void answer_in(Peer& peer, Duration round_trip) {
  peer.path.times.sent(0, start);
  Echo echo;
  echo.packets = 1;
  peer.path.times.echoed(echo, start + round_trip);
}

/// Of ten datagrams, that many came.
void hear(Peer& peer, std::uint64_t came) {
  for (std::uint64_t number = 10 - came; number < 10; ++number)
    peer.inbound.numbers.enter(number);
}

TEST(NetworkMeasure, has_the_means_of_the_paths_that_have_been_measured) {
  EndpointState state = on_hosts({0, 1, 2, 3});
  answer_in(state.peers[1], 20ms);
  answer_in(state.peers[3], 40ms);
  hear(state.peers[1], 10);
  hear(state.peers[2], 5);
  const NetworkMeasure measure = network_measure(state, arrived);
  EXPECT_EQ(measure.round_trip_time, 30ms);
  EXPECT_EQ(measure.loss_sample, 20U);
  EXPECT_EQ(measure.loss, 0.25);
  EXPECT_EQ(measure.bandwidth, arrived);
}

TEST(NetworkMeasure, is_not_of_ranks_of_the_same_host) {
  EndpointState state = on_hosts({0, 0, 2, 3});
  answer_in(state.peers[1], 1ms);
  hear(state.peers[1], 5);
  answer_in(state.peers[2], 40ms);
  const NetworkMeasure measure = network_measure(state, arrived);
  EXPECT_EQ(measure.round_trip_time, 40ms);
  EXPECT_EQ(measure.loss_sample, 0U);
  EXPECT_EQ(measure.loss, 0);
}

TEST(NetworkMeasure, is_of_ranks_of_the_same_host_where_there_are_no_others) {
  EndpointState state = on_hosts({0, 0, 0});
  answer_in(state.peers[1], 1ms);
  answer_in(state.peers[2], 3ms);
  EXPECT_EQ(network_measure(state, arrived).round_trip_time, 2ms);
}

TEST(NetworkMeasure, has_the_longest_and_the_shortest_datagrams_in_use) {
  EndpointState state = on_hosts({0, 1, 2});
  const std::size_t usual = state.peers[1].path.sizes.in_use();
  state.peers[2].path.sizes.limit(usual - 100);
  const NetworkMeasure measure = network_measure(state, arrived);
  EXPECT_EQ(measure.longest_datagram, usual);
  EXPECT_EQ(measure.shortest_datagram, usual - 100);
}

TEST(NetworkMeasure, has_the_rate_at_which_the_rank_sends_while_paths_have_not_shown_less) {
  const EndpointState state = on_hosts({0, 1, 2});
  EXPECT_EQ(network_measure(state, arrived).rate, state.rate.rate());
}

TEST(KnownNetwork, has_the_paths_to_all_others) {
  EndpointState state = on_hosts({0, 1, 2});
  state.peers[2].path.sizes.limit(700);
  const KnownNetwork known = known_network(state);
  ASSERT_EQ(known.paths.size(), 3U);
  EXPECT_FALSE(known.paths[0]) << "to itself";
  ASSERT_TRUE(known.paths[1]);
  ASSERT_TRUE(known.paths[2]);
  EXPECT_EQ(known.paths[2]->datagram_bytes, 700U);
}

}  // namespace
}  // namespace lbsp::transport
