#include "transport/queues/queue_drain.hpp"

#include <chrono>
#include <gtest/gtest.h>

#include "tests/transport/start.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// Until `bound`, a datagram in 10 ms; whether that ended a drain.
bool send_until(QueueDrain& drain, Instant& now, Instant bound, Duration sending = 10ms) {
  bool ended = false;
  for (; now < bound; now += 10ms)
    ended = drain.sent(sending, now) || ended;
  return ended;
}

TEST(QueueDrain, sends_a_quarter_for_one_and_a_half_round_trips) {
  QueueDrain drain;
  Instant now = start;
  send_until(drain, now, start + 1s);
  EXPECT_EQ(drain.part(), 1);
  ASSERT_TRUE(drain.begin(40ms, now));
  EXPECT_EQ(drain.part(), 0.25);
  EXPECT_FALSE(send_until(drain, now, start + 1s + 60ms));
  EXPECT_TRUE(drain.sent(10ms, now));
  EXPECT_EQ(drain.part(), 1);
}

TEST(QueueDrain, comes_once_in_ten_seconds) {
  QueueDrain drain;
  Instant now = start;
  send_until(drain, now, start + 1s);
  ASSERT_TRUE(drain.begin(40ms, now));
  EXPECT_FALSE(drain.begin(40ms, now)) << "there is one";
  send_until(drain, now, start + 10s);
  EXPECT_FALSE(drain.begin(40ms, now));
  send_until(drain, now, start + 11s);
  EXPECT_TRUE(drain.begin(40ms, now));
}

TEST(QueueDrain, is_not_needed_soon_after_a_pause) {
  QueueDrain drain;
  Instant now = start;
  send_until(drain, now, start + 1s);
  now += 20ms;
  send_until(drain, now, now + 160ms);
  EXPECT_FALSE(drain.begin(41ms, now)) << "four round trips";
  EXPECT_TRUE(drain.begin(40ms, now));
}

/// As in supersteps whose pauses are full of what is hardly worth sending.
TEST(QueueDrain, is_not_needed_where_the_rank_often_sends_less_than_its_rate) {
  QueueDrain drain;
  Instant now = start;
  send_until(drain, now, start + 1s, 7ms);
  EXPECT_FALSE(drain.begin(40ms, now));
  send_until(drain, now, start + 2s, 9900us);
  EXPECT_TRUE(drain.begin(40ms, now)) << "little less";
}

TEST(QueueDrain, ends_when_another_reason_lowers_the_rate) {
  QueueDrain drain;
  Instant now = start;
  send_until(drain, now, start + 1s);
  ASSERT_TRUE(drain.begin(40ms, now));
  drain.end();
  EXPECT_EQ(drain.part(), 1);
  EXPECT_FALSE(send_until(drain, now, now + 1s));
}

}  // namespace
}  // namespace lbsp::transport
