#include "transport/core/delay_gauge.hpp"

#include <cmath>
#include <gtest/gtest.h>

/// How long a queue is, from clocks that do not agree.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// Datagrams of one sender, and a peer whose clock shows `ahead` microseconds more, modulo 2^32.
struct Path {
  std::uint32_t ahead = 0;
  DelayGauge gauge{};

  Duration queue(Instant sent, std::chrono::microseconds delay) {
    const auto arrived =
        std::chrono::duration_cast<std::chrono::microseconds>(sent.time_since_epoch() + delay);
    return gauge.add(sent, static_cast<std::uint32_t>(arrived.count()) + ahead);
  }
};

TEST(DelayGauge, measures_beyond_the_least_delay_whatever_the_clocks_show) {
  for (const std::uint32_t ahead : {0U, (1U << 30) - 30'500U, 1U << 31, 0xffff'0000U}) {
    Path path{ahead};
    EXPECT_EQ(path.queue(Instant{1s}, 30ms), 0ms) << ahead;
    EXPECT_EQ(path.queue(Instant{1001ms}, 35ms), 5ms) << ahead;
    EXPECT_EQ(path.queue(Instant{1002ms}, 29ms), 0ms) << ahead;
    EXPECT_EQ(path.queue(Instant{1003ms}, 60ms), 31ms) << ahead;
  }
}

TEST(DelayGauge, forgets_a_least_delay_after_ten_to_twenty_seconds) {
  Path path;
  path.queue(Instant{0s}, 10ms);
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
  Path path;
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

TEST(DelayGauge, takes_no_change_over_a_pause_for_a_jump) {
  EXPECT_DOUBLE_EQ(usual_jump_after(4, 20ms, true), 1.2e-3 * 1.3);
  EXPECT_DOUBLE_EQ(usual_jump_after(100, 21ms, true), 1.2e-3);
}

}  // namespace
}  // namespace lbsp::transport
