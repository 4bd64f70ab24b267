#include "model/superstep/loss_discovery.hpp"

#include "gtest/gtest.h"

#include "tests/model/superstep/known_protocol.hpp"

namespace lbsp::model::superstep {
namespace {

TEST(LossDiscovery, of_a_message_s_end_waits_for_the_next_report) {
  constexpr double round_trip = 1;
  constexpr double between = 1e-5;
  const LossDiscovery discovery({.round_trip = round_trip, .loss = 0.1}, known_protocol());
  const double interval = discovery.times().report_interval;
  const auto told = [&](double sent, double first_sent) {
    return discovery.in_pass({.sent = sent, .first_sent = first_sent, .between = between, .nothing = 0.5})
        .at(1)
        .time;
  };
  const double evidence = 0.2 - round_trip / 2 + discovery.times().loss_delay;
  EXPECT_NEAR(told(0.2, 0.199), evidence + interval / 2 + round_trip / 2, 1e-12) << "of a short message";
  EXPECT_NEAR(told(0.2, 0), evidence + 64 * between / 2 + round_trip / 2, 1e-12)
      << "of one of so many datagrams that reports come with them";
}

}  // namespace
}  // namespace lbsp::model::superstep
