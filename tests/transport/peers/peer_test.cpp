#include "transport/peers/peer.hpp"

#include <gtest/gtest.h>

#include "tests/transport/room_state.hpp"
#include "transport/error.hpp"

/// What a rank knows of another before anything has passed between them.
namespace lbsp::transport {
namespace {

using namespace testing;

EndpointConfig known_path(Duration round_trip) {
  EndpointConfig config = config_of(2);
  config.priors.resize(2);
  config.priors[1].loss = 0.25;
  config.priors[1].round_trip = round_trip;
  config.priors[1].round_trip_variation = 3ms;
  return config;
}

TEST(Peer, uses_what_another_measurement_says_of_its_path) {
  const Peer peer(known_path(70ms), 1, start);
  EXPECT_EQ(peer.path.prior.loss, 0.25);
  EXPECT_EQ(peer.forecast().round_trip, 70ms);
  EXPECT_EQ(peer.forecast().round_trip_variation, 3ms);
  EXPECT_TRUE(peer.forecast().round_trip_known);
}

TEST(Peer, a_round_trip_of_zero_is_not_known) {
  const Peer peer(known_path(0ms), 1, start);
  EXPECT_EQ(peer.forecast().round_trip, PathEstimate::initial_round_trip);
  EXPECT_FALSE(peer.forecast().round_trip_known);
}

TEST(Peer, a_round_trip_measured_once_is_known_to_a_plan) {
  Peer peer(config_of(2), 1, start);
  EXPECT_FALSE(peer.forecast().round_trip_known);
  peer.path.times.sent(0, start);
  Echo echo;
  echo.packets = 1;
  peer.path.times.echoed(echo, start + 30ms);
  EXPECT_TRUE(peer.forecast().round_trip_known);
  EXPECT_EQ(peer.forecast().round_trip, 30ms);
}

TEST(Peer, is_near_if_its_host_is_known_to_be_the_same) {
  EndpointConfig config = config_of(4);
  EXPECT_FALSE(is_near(config, 1)) << "no host is known";
  config.hosts = {3, 3, 5, 5};
  EXPECT_TRUE(is_near(config, 1));
  EXPECT_FALSE(is_near(config, 2));
}

TEST(EndpointState, takes_only_options_within_their_ranges) {
  EndpointConfig config = config_of(2);
  config.options.copies = 0;
  EXPECT_THROW(EndpointState(config, start), UsageError);
}

TEST(EndpointState, takes_jobs_of_as_many_ranks_as_the_wire_can_name) {
  EndpointState(config_of(max_ranks), start);
}

TEST(Peer, ranks_of_one_host_share_its_rate) {
  EndpointConfig config = config_of(4);
  config.options.rate = megabits_per_second(90);
  EXPECT_EQ(own_rate(config), megabits_per_second(90));
  config.hosts = {3, 5, 3, 3};
  EXPECT_EQ(own_rate(config), megabits_per_second(30));
  config.rank = 1;
  EXPECT_EQ(own_rate(config), megabits_per_second(90));
}

}  // namespace
}  // namespace lbsp::transport
