#include <gtest/gtest.h>

#include "tests/transport/recovery_names.hpp"
#include "tests/transport/scripted_superstep.hpp"
#include "transport/simulated/network.hpp"

/// What is said while a program computes.
namespace lbsp::transport::testing {
namespace {

class Keepalive : public ::testing::TestWithParam<Recovery> {};

/// As bursts of loss are counted in datagrams: one that is short for data is long for keepalives.
TEST_P(Keepalive, gets_through_bursts_that_take_many_in_a_row) {
  ExchangeOptions options;
  options.recovery = GetParam();
  ScriptedNetwork network(3, options);
  superstep(network, nothing);
  std::map<std::pair<Rank, Rank>, int> sent;
  network.lose = [&](const Passing& passing) {
    return sent[{passing.header.source, passing.header.destination}]++ % 60 >= 20;
  };
  network.begin_exchange(0, nothing);
  network.begin_exchange(1, nothing);
  network.run_for(5min);
  for (const Rank rank : {0, 1, 2})
    EXPECT_FALSE(network[rank].failure()) << network[rank].failure()->message;
}

TEST_P(Keepalive, goes_out_once_a_second_where_it_arrives) {
  ExchangeOptions options;
  options.recovery = GetParam();
  ScriptedNetwork network(2, options);
  superstep(network, nothing);
  network.run_for(1s);
  const int before = network.sent(DatagramKind::status);
  network.run_for(100s);
  EXPECT_NEAR(network.sent(DatagramKind::status) - before, 200, 4);
}

/// How many of so many jobs of four ranks that compute for a minute, with this limit of silence, take one of them for
/// lost.
int false_alarms(Duration peer_timeout, const WanSpec& wan, std::uint64_t jobs) {
  int alarms = 0;
  for (std::uint64_t seed = 1; seed <= jobs; ++seed) {
    SimulationConfig config{.size = 4, .options = {}, .wan = wan, .seed = seed};
    config.options.peer_timeout = peer_timeout;
    SimulatedNetwork network(config);
    const auto lost = [&] {
      for (Rank rank = 0; rank < network.size(); ++rank) {
        if (network.endpoint(rank).failure()) return true;
      }
      return false;
    };
    alarms += network.run_until(lost, config.beginning + 1min) ? 1 : 0;
  }
  return alarms;
}

TEST(Silence, of_a_second_is_no_accident_where_one_of_seven_is_lost) {
  EXPECT_EQ(false_alarms(1s, parse_wan_spec("loss=15%,rtt=100ms"), 20), 0);
  EXPECT_EQ(false_alarms(1s, parse_wan_spec("loss=15%,rtt=100ms,burst=5"), 60), 0);
}

INSTANTIATE_TEST_SUITE_P(Schemes, Keepalive,
                         ::testing::Values(Recovery::receiver, Recovery::rounds, Recovery::whole_round),
                         recovery_name);

}  // namespace
}  // namespace lbsp::transport::testing
