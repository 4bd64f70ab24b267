#include "transport/rate/downlink_loss.hpp"

#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

void note(DownlinkLoss& loss, int rounds, double lost, bool without_queue) {
  for (int round = 0; round < rounds; ++round)
    loss.note(lost, 16, without_queue);
}

TEST(DownlinkLoss, is_that_of_rounds_without_a_queue) {
  DownlinkLoss loss;
  loss.begin(0.02);
  note(loss, 200, 0.1, true);
  EXPECT_NEAR(loss.own(), 0.1, 1e-3);
  note(loss, 200, 0.5, false);
  EXPECT_NEAR(loss.own(), 0.1, 1e-3);
}

/// Of sixteen datagrams a path that loses 5 % loses none in two rounds of five.
TEST(DownlinkLoss, is_no_less_for_a_round_that_loses_none) {
  DownlinkLoss loss;
  loss.begin(0.05);
  for (int five = 0; five < 100; ++five) {
    note(loss, 2, 0, false);
    note(loss, 2, 1. / 16, false);
    note(loss, 1, 2. / 16, false);
  }
  EXPECT_NEAR(loss.own(), 0.05, 0.005);
}

TEST(DownlinkLoss, is_no_more_than_is_lost_in_all) {
  DownlinkLoss loss;
  loss.begin(0.1);
  note(loss, 400, 0, false);
  EXPECT_LT(loss.own(), 1e-3);
}

TEST(DownlinkLoss, is_believed_up_to_a_limit_without_a_trial) {
  DownlinkLoss loss;
  loss.begin(0.02);
  note(loss, 400, 0.4, true);
  EXPECT_NEAR(loss.own(), 0.15, 1e-3);
  loss.find(0.4);
  note(loss, 400, 0.35, true);
  EXPECT_NEAR(loss.own(), 0.35, 1e-3);
}

TEST(DownlinkLoss, begins_once) {
  DownlinkLoss loss;
  EXPECT_FALSE(loss.known());
  loss.begin(0.02);
  loss.begin(0.3);
  EXPECT_EQ(loss.own(), 0.02);
}

}  // namespace
}  // namespace lbsp::transport
