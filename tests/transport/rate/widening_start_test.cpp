#include "transport/rate/widening_start.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <optional>

#include "tests/transport/start.hpp"

namespace lbsp::transport {
namespace {

constexpr BytesPerSecond start_rate{12.5e6};
constexpr std::uint64_t datagram_of_start = 1200;
constexpr std::uint64_t long_start_leg = 1 << 20;
constexpr std::uint64_t least_flight = 20 << 10;

class WideningStartTest : public ::testing::Test {
 protected:
  /// All that may go does, at the rate; what the echoes say of it. `delay`: seconds, behind so many bytes of a flight.
  template <typename Delay>
  std::optional<BytesPerSecond> fly(const Delay& delay, double lost = 0, Duration pause = Duration{0}) {
    const std::uint64_t begun = sent_;
    while (!start_.full(sent_, long_start_leg) && sent_ - begun < long_start_leg)
      sent_ += datagram_of_start;
    now_ += std::chrono::seconds{1};
    for (std::uint64_t bytes = datagram_of_start; begun + bytes <= sent_; bytes += datagram_of_start) {
      const Instant at = now_ + start_rate.time_for(static_cast<double>(bytes)) +
                         (bytes > datagram_of_start ? pause : Duration{0});
      const TrainMark mark{.sent_at = at, .bytes_to_all = begun + bytes, .data = true};
      const Burst step{.sent = datagram_of_start,
                       .arrived = (1 - lost) * datagram_of_start,
                       .queue = delay(static_cast<double>(bytes))};
      const auto carried = start_.echoed(mark, step, {start_rate, long_start_leg, sent_});
      if (carried || start_.over()) return carried;
    }
    return std::nullopt;
  }

  WideningStart start_;
  std::uint64_t sent_ = 5000;
  Instant now_ = start;
};

double without_delay(double /*bytes*/) {
  return 0;
}

TEST_F(WideningStartTest, is_over_until_it_begins) {
  EXPECT_TRUE(start_.over());
  EXPECT_FALSE(start_.full(long_start_leg, long_start_leg));
}

TEST_F(WideningStartTest, lets_as_much_go_as_the_link_is_known_to_carry_in_a_tenth_of_a_second) {
  start_.begin(BytesPerSecond{1000}, sent_);
  EXPECT_FALSE(start_.full(sent_ + least_flight - 1, long_start_leg));
  EXPECT_TRUE(start_.full(sent_ + least_flight, long_start_leg));
  EXPECT_FALSE(start_.full(sent_ + least_flight, least_flight)) << "a leg that is no longer";
  start_.begin(BytesPerSecond{400'000}, sent_);
  EXPECT_FALSE(start_.full(sent_ + 39'999, long_start_leg));
  EXPECT_TRUE(start_.full(sent_ + 40'000, long_start_leg));
}

TEST_F(WideningStartTest, is_not_needed_where_that_is_more_than_others_let_go_at_once) {
  start_.begin(BytesPerSecond{900'000}, sent_);
  EXPECT_TRUE(start_.over());
}

/// The first flight was disturbed as much as it took.
TEST_F(WideningStartTest, tells_what_a_slow_link_carries) {
  constexpr double carries = 250'000;
  start_.begin(BytesPerSecond{carries / 2}, sent_);
  std::optional<BytesPerSecond> told;
  for (int flights = 0; !told && flights < 4; ++flights)
    told = fly([](double bytes) { return bytes / carries - bytes / start_rate.value; });
  ASSERT_TRUE(told);
  EXPECT_NEAR(told->value, carries, carries / 100);
  EXPECT_TRUE(start_.over());
}

TEST_F(WideningStartTest, counts_what_has_arrived_of_what_a_short_queue_drops) {
  constexpr double carries = 250'000;
  start_.begin(BytesPerSecond{carries}, sent_);
  const auto told = fly([](double bytes) { return 0.7 * bytes / carries; }, 0.3);
  ASSERT_TRUE(told);
  EXPECT_NEAR(told->value, carries, carries / 20);
}

/// A longer flight comes faster, and all that was slow were the delays.
TEST_F(WideningStartTest, takes_no_delays_that_vary_for_a_slow_link) {
  start_.begin(BytesPerSecond{180'000}, sent_);
  for (int flights = 0; !start_.over() && flights < 4; ++flights)
    EXPECT_FALSE(fly([](double) { return 0.02; }));
  EXPECT_TRUE(start_.over());
}

TEST_F(WideningStartTest, says_nothing_of_a_link_that_carries_the_rate) {
  start_.begin(BytesPerSecond{180'000}, sent_);
  EXPECT_FALSE(fly(without_delay));
  EXPECT_TRUE(start_.over());
}

TEST_F(WideningStartTest, never_tells_less_than_the_first_flight_has_shown) {
  start_.begin(BytesPerSecond{180'000}, sent_);
  const auto told = fly([](double bytes) { return bytes / 10'000; });
  ASSERT_TRUE(told);
  EXPECT_EQ(told->value, 180'000);
}

/// Others fill the link, or what comes was sent after a pause: neither tells. Nobody waits for that for long.
TEST_F(WideningStartTest, ends_after_three_flights_that_tell_nothing) {
  for (const auto& [lost, pause] :
       {std::pair{0.8, Duration{0}}, {0., Duration{std::chrono::milliseconds{50}}}}) {
    start_ = {};
    start_.begin(BytesPerSecond{180'000}, sent_);
    for (int flight = 0; flight < 3; ++flight) {
      EXPECT_FALSE(start_.over()) << flight;
      EXPECT_FALSE(fly(without_delay, lost, pause));
    }
    EXPECT_TRUE(start_.over());
  }
}

}  // namespace
}  // namespace lbsp::transport
