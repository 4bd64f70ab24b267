#include "transport/queues/delay_gauge.hpp"

#include <cmath>
#include <gtest/gtest.h>

/// How long a queue is, from clocks that do not agree.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// Datagrams of one sender, and a peer whose clock shows `ahead` microseconds more, modulo 2^32.
template <class Gauge>
struct GaugedPath {
  std::uint32_t ahead = 0;
  Gauge gauge{};

  Duration queue(Instant sent, std::chrono::microseconds delay) {
    const auto arrived =
        std::chrono::duration_cast<std::chrono::microseconds>(sent.time_since_epoch() + delay);
    return gauge.add(sent, static_cast<std::uint32_t>(arrived.count()) + ahead);
  }
};

TEST(QueueGauge, measures_beyond_the_least_delay_whatever_the_clocks_show) {
  for (const std::uint32_t ahead : {0U, (1U << 30) - 30'500U, 1U << 31, 0xffff'0000U}) {
    GaugedPath<QueueGauge> path{ahead};
    EXPECT_EQ(path.queue(Instant{1s}, 30ms), 0ms) << ahead;
    EXPECT_EQ(path.queue(Instant{1001ms}, 35ms), 5ms) << ahead;
    EXPECT_EQ(path.queue(Instant{1002ms}, 29ms), 0ms) << ahead;
    EXPECT_EQ(path.queue(Instant{1003ms}, 60ms), 31ms) << ahead;
  }
}

TEST(QueueGauge, tells_by_how_much_the_queue_was_longer_than_it_seemed) {
  GaugedPath<QueueGauge> path;
  path.queue(Instant{1s}, 50ms);
  EXPECT_EQ(path.gauge.mistaken(), 0ms);
  path.queue(Instant{1001ms}, 30ms);
  EXPECT_EQ(path.gauge.mistaken(), 20ms);
  path.queue(Instant{1002ms}, 40ms);
  EXPECT_EQ(path.gauge.mistaken(), 0ms);
}

TEST(QueueGauge, forgets_a_least_delay_after_ten_to_twenty_seconds) {
  GaugedPath<QueueGauge> path;
  path.queue(Instant{0s}, 10ms);
  path.queue(Instant{1ms}, 10ms);
  Duration queue{};
  for (Instant now{100ms}; now < Instant{10s}; now += 100ms)
    queue = path.queue(now, 40ms);
  EXPECT_EQ(queue, 30ms);
  for (Instant now{10s}; now <= Instant{20s}; now += 100ms)
    queue = path.queue(now, 40ms);
  EXPECT_EQ(queue, 30ms);
  for (Instant now{20s}; now < Instant{21s}; now += 100ms)
    queue = path.queue(now, 40ms);
  EXPECT_EQ(queue, 0ms);
}

/// After so many datagrams, each of which meets a queue that is longer by 1 ms or, if it swings, by 10 ms or none.
double usual_jump_after(int datagrams, Duration between, bool swings) {
  GaugedPath<DelayGauge> path;
  for (int i = 0; i < datagrams; ++i)
    path.queue(Instant{1s} + i * between, std::chrono::milliseconds{swings ? i % 2 * 10 : i});
  return path.gauge.usual_jump();
}

TEST(DelayGauge, follows_how_delays_change_after_three_datagrams_of_a_burst) {
  EXPECT_DOUBLE_EQ(usual_jump_after(3, 2ms, true), 1.2e-3);
  EXPECT_DOUBLE_EQ(usual_jump_after(5, 2ms, true), 1.2e-3 * 1.3 * 1.3);
  EXPECT_DOUBLE_EQ(usual_jump_after(5, 2ms, false), 1.2e-3 / 1.3 / 1.3) << "a queue grows steadily";
  EXPECT_NEAR(usual_jump_after(12, 2ms, false), 1.2e-3 / std::pow(1.3, 8) / 1.05, 1e-12)
      << "then steps are small";
  EXPECT_DOUBLE_EQ(usual_jump_after(200, 2ms, false), 1e-5);
}

/// Where most datagrams are dropped, those that arrive were sent at uneven times.
TEST(DelayGauge, takes_no_even_filling_for_jumps_however_uneven_the_times_are) {
  GaugedPath<DelayGauge> path;
  Instant sent{1s};
  for (int i = 0; i < 100; ++i) {
    sent += i % 2 == 0 ? 1ms : 6ms;
    path.queue(sent, std::chrono::duration_cast<std::chrono::microseconds>(3 * (sent - Instant{1s})));
  }
  EXPECT_LT(path.gauge.usual_jump(), 0.1e-3);
}

TEST(DelayGauge, takes_no_change_over_a_pause_for_a_jump) {
  EXPECT_DOUBLE_EQ(usual_jump_after(4, 20ms, true), 1.2e-3 * 1.3);
  EXPECT_DOUBLE_EQ(usual_jump_after(100, 21ms, true), 1.2e-3);
}

TEST(DelayGauge, tells_by_how_much_delays_became_longer_at_once) {
  GaugedPath<DelayGauge> path;
  path.queue(Instant{1s}, 10ms);
  path.queue(Instant{1001ms}, 15ms);
  EXPECT_DOUBLE_EQ(path.gauge.variation(), 5e-3);
  path.queue(Instant{1002ms}, 25ms);
  EXPECT_DOUBLE_EQ(path.gauge.variation(), 15e-3) << "further datagrams wait for it";
  path.queue(Instant{1012ms}, 12ms);
  path.queue(Instant{1013ms}, 20ms);
  EXPECT_DOUBLE_EQ(path.gauge.variation(), 15e-3) << "it had gone before";
}

TEST(DelayGauge, takes_what_senders_fill_for_no_variation) {
  GaugedPath<DelayGauge> path;
  for (int i = 0; i < 50; ++i)
    path.queue(Instant{1s} + i * 1ms, std::chrono::milliseconds{10 + 4 * i});
  EXPECT_DOUBLE_EQ(path.gauge.variation(), 0) << "four times what the link carries";
}

TEST(DelayGauge, takes_what_was_sent_at_once_for_no_variation) {
  DelayGauge gauge;
  gauge.add(Instant{1s}, 0, 1ms);
  gauge.add(Instant{1s}, 4000, 1ms);
  EXPECT_DOUBLE_EQ(gauge.variation(), 0);
}

TEST(DelayGauge, forgets_variation_after_ten_to_twenty_seconds) {
  GaugedPath<DelayGauge> path;
  path.queue(Instant{1s}, 10ms);
  path.queue(Instant{1001ms}, 15ms);
  for (Instant now{1002ms}; now < Instant{23s}; now += 10ms)
    path.queue(now, 10ms);
  EXPECT_DOUBLE_EQ(path.gauge.variation(), 0);
}

}  // namespace
}  // namespace lbsp::transport
