#include "transport/queues/arrival_gauge.hpp"

#include <gtest/gtest.h>

/// What a receiver learns of a queue from the times that its peer's echoes tell.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

TEST(ArrivalGauge, measures_the_queue_whatever_the_clocks_show) {
  for (const std::uint32_t ahead : {0U, 1U << 31, 0xffff'f000U}) {
    ArrivalGauge gauge;
    const auto queue = [&](std::uint32_t written, Duration delay) {
      return gauge
          .add({.written_at = written + ahead, .packets = 1, .arrived = 1},
               Instant{1s} + std::chrono::microseconds{written} + delay)
          .queue;
    };
    EXPECT_EQ(queue(0, 20ms), 0ms) << ahead;
    EXPECT_EQ(queue(3000, 25ms), 5ms) << ahead;
    EXPECT_EQ(queue(9000, 19ms), 0ms) << ahead;
    EXPECT_EQ(queue(9500, 29ms), 10ms) << ahead;
  }
}

TEST(ArrivalGauge, counts_what_was_sent_and_what_came_since_the_last_one) {
  ArrivalGauge gauge;
  gauge.add({.written_at = 0, .packets = 10, .arrived = 5}, Instant{1s});
  const auto seen = gauge.add({.written_at = 1000, .packets = 20, .arrived = 12}, Instant{1001ms});
  EXPECT_EQ(seen.datagrams, 10u);
  EXPECT_EQ(seen.arrived, 7u);
}

TEST(ArrivalGauge, tells_once_that_the_queue_was_longer_than_it_seemed) {
  ArrivalGauge gauge;
  const auto delay = [&](std::uint32_t written, Duration of) {
    gauge.add({.written_at = written, .packets = 1, .arrived = 1},
              Instant{1s} + std::chrono::microseconds{written} + of);
  };
  delay(0, 100ms);
  delay(1000, 102ms);
  EXPECT_FALSE(gauge.was_longer(3ms)) << "longer, but not than it seemed";
  delay(2000, 98ms);
  EXPECT_FALSE(gauge.was_longer(3ms));
  delay(3000, 96ms);
  EXPECT_TRUE(gauge.was_longer(3ms));
  EXPECT_FALSE(gauge.was_longer(3ms));
}

}  // namespace
}  // namespace lbsp::transport
