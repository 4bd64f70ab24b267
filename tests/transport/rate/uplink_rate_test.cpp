#include "transport/rate/uplink_rate.hpp"

#include <gtest/gtest.h>

#include "tests/transport/queues/queue_sample.hpp"

namespace lbsp::transport {
namespace {

/// A flood that filled a queue had made too low a rate be found. The queue showed what the link carries, and the bound
/// was in use, until the next superstep began with a hundredth of it, for a minute.
TEST(UplinkRate, does_not_fall_when_a_higher_bound_ends_after_a_pause) {
  UplinkRate uplink({.rate = megabits_per_second(100), .find_rate = true}, megabits_per_second(1000), 0.05,
                    start);
  ASSERT_TRUE(uplink.look_from(megabits_per_second(0.1), RateFinder::ShownBy::first_flight));
  constexpr Duration apart{25ms};
  Duration sent{0};
  while (sent < 1s && !uplink.bound().rate()) {
    sent += apart;
    uplink.sent(datagram_bytes, start + sent);
    QueueBound::Context path = context();
    path.round_trip = 100ms;
    uplink.queued(sample_of_queue(sent, apart), path, start + sent + 190ms);
  }
  ASSERT_TRUE(uplink.bound().rate());
  const double bound = uplink.rate().value;
  ASSERT_GT(bound, megabits_per_second(3).value);
  uplink.sent(datagram_bytes, start + sent + 2s);
  EXPECT_GT(uplink.rate().value, 0.6 * bound);
  EXPECT_LT(uplink.rate().value, 1.1 * bound);
}

}  // namespace
}  // namespace lbsp::transport
