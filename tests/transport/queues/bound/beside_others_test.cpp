#include "transport/queues/bound/beside_others.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "tests/transport/start.hpp"

/// A queue that others hold.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

class HeldByOthers : public ::testing::Test {
 protected:
  static constexpr double carried = 10e6 / 8;

  HeldByOthers() { others.begin(carried, start); }

  /// After a round of 100 datagrams that ends so much later.
  double rate_after(double queue, double loss, Duration later = 100ms) {
    QueueSeen seen;
    seen.queue = queue;
    seen.loss = loss;
    seen.datagrams = 100;
    seen.rate = carried;
    seen.later_at = at_ += later;
    return others.rate_after(seen, {.carried = carried,
                                    .own_loss = own_loss,
                                    .tolerated_queue = 4e-3,
                                    .round_trip = round_trip,
                                    .datagram_bytes = 1250,
                                    .varying = varying});
  }

  BesideOthers others;
  double own_loss = 0.01;
  double round_trip = 40e-3;
  bool varying = false;

 private:
  Instant at_ = start;
};

/// A step of 0.06 at 25 Mbit/s and of 0.095 here, less 0.02. What is too long is to go in eight round trips, …
TEST_F(HeldByOthers, less_goes_the_longer_the_queue_is) {
  const double step = 0.06 * std::sqrt(2.5) - 0.02;
  EXPECT_NEAR(rate_after(40e-3, 0) / carried, 1 + step - 36e-3 / 360e-3, 1e-6);
  EXPECT_NEAR(rate_after(80e-3, 0) / carried, 1 + step - 76e-3 / 400e-3, 1e-6);
  round_trip = 200e-3;
  EXPECT_NEAR(rate_after(80e-3, 0) / carried, 1 + step - 76e-3 / (4 * 200e-3 + 160e-3 + 80e-3), 1e-6);
}

/// … where delays vary in four.
TEST_F(HeldByOthers, more_goes_at_once_where_delays_vary) {
  varying = true;
  EXPECT_NEAR(rate_after(40e-3, 0) / carried, 1 + 0.06 * std::sqrt(2.5) - 0.02 - 36e-3 / 200e-3, 1e-6);
}

/// Half a datagram of 1250 bytes for each of the round trips of 50 ms, of which there were two.
TEST_F(HeldByOthers, a_short_one_lets_no_more_through_than_a_tcp_would_send) {
  EXPECT_NEAR(rate_after(10e-3, 0), carried + 2 * 0.53 * 1250 / 50e-3, 1);
  EXPECT_NEAR(rate_after(10e-3, 0.12), 0.7 * carried, 1);
  EXPECT_NEAR(rate_after(10e-3, 0), 0.7 * carried + 2 * 0.53 * 1250 / 50e-3, 1);
}

/// 1 % is lost without a queue; 0.02 and two standard deviations of 0.00995 more.
TEST_F(HeldByOthers, what_chance_may_lose_is_no_drop) {
  EXPECT_GT(rate_after(10e-3, 0.049), carried);
  EXPECT_LT(rate_after(10e-3, 0.051), carried);
}

/// As of a TCP.
TEST_F(HeldByOthers, one_datagram_is_a_drop_where_none_is_lost_without_a_queue) {
  own_loss = 0;
  EXPECT_NEAR(rate_after(10e-3, 0.01), 0.7 * carried, 1);
  EXPECT_GT(rate_after(10e-3, 0), 0.7 * carried);
}

TEST_F(HeldByOthers, of_a_pause_a_second_counts) {
  EXPECT_NEAR(rate_after(0, 0.12), 0.7 * carried, 1);
  EXPECT_NEAR(rate_after(0, 0, 1min), 0.7 * carried + 0.53 * 1250 / 40e-3 / 40e-3, 1);
}

TEST_F(HeldByOthers, where_delays_vary_the_rate_is_not_a_tcps) {
  varying = true;
  EXPECT_GT(rate_after(10e-3, 0.12), carried);
}

/// A rank would keep such a queue full by itself, and drop a tenth of what it sends.
TEST_F(HeldByOthers, where_delays_vary_and_much_is_dropped_for_long_the_rate_is_a_tcps) {
  varying = true;
  for (int i = 0; i < 20; ++i)
    rate_after(10e-3, 0.12);
  EXPECT_NEAR(rate_after(10e-3, 0.12), 0.7 * carried, 1);
}

TEST_F(HeldByOthers, ends_with_the_queue) {
  EXPECT_TRUE(others.held());
  others.end();
  EXPECT_FALSE(others.held());
}

}  // namespace
}  // namespace lbsp::transport
