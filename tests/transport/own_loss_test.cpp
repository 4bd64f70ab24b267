#include "transport/core/own_loss.hpp"

#include <chrono>
#include <gtest/gtest.h>

#include "transport/core/loss_estimate.hpp"

/// What of a path's loss is its own, and what queues drop.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr Duration round_trip_of_path = 70ms;  // a queue is none up to 3.5 ms

/// Echoes that tell of ten datagrams each, which met such queues in turn.
OwnLoss after(int echoes, Duration queue, std::uint64_t arrived_of_ten, OwnLoss own = {}) {
  for (int i = 0; i < echoes; ++i) {
    QueueSample sample;
    sample.queue = queue;
    sample.datagrams = 10;
    sample.arrived = arrived_of_ten;
    own.add(sample, round_trip_of_path);
  }
  return own;
}

OwnLoss::Seen reported(double loss) {
  const auto fraction = static_cast<std::uint16_t>(loss * UINT16_MAX);
  return {{fraction, fraction}, 1500};
}

double loss_of(const OwnLoss& own, double reported_loss) {
  return from_fraction(own.of(reported(reported_loss)).report.loss);
}

TEST(OwnLoss, is_all_that_is_reported_until_something_has_met_no_queue) {
  EXPECT_NEAR(loss_of({}, 0.9), 0.9, 1e-4);
  EXPECT_NEAR(loss_of(after(200, 30ms, 5), 0.5), 0.5, 1e-4);
  EXPECT_NEAR(loss_of(after(1, 1ms, 10), 0.3), 0.3, 1e-4) << "that is too little to know";
}

TEST(OwnLoss, is_that_of_what_met_no_queue) {
  const OwnLoss own = after(40, 30ms, 4, after(40, 1ms, 10));
  EXPECT_NEAR(loss_of(own, 0.4), 0, 1e-4);
  EXPECT_EQ(own.of(reported(0.4)).datagrams, 355u) << "of 390, the older ones weigh a little less";
}

TEST(OwnLoss, is_not_less_than_reported_by_chance) {
  EXPECT_NEAR(loss_of(after(40, 1ms, 9), 0.12), 0.12, 1e-4);
  EXPECT_NEAR(loss_of(after(40, 1ms, 9), 0.3), 0.1, 1e-4);
}

TEST(OwnLoss, counts_what_met_no_queue_at_either_end_of_an_interval) {
  OwnLoss own = after(40, 1ms, 10);
  for (int i = 0; i < 40; ++i)
    own = after(1, 1ms, 2, after(1, 30ms, 2, own));
  EXPECT_NEAR(loss_of(own, 0.4), 0, 1e-4);
}

}  // namespace
}  // namespace lbsp::transport
