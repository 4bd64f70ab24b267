#include "transport/rate/first_data.hpp"

#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>

#include "tests/transport/start.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// What goes to one peer, and comes as slowly as a link of `carried` brings it.
class FirstDataTest : public ::testing::Test {
 protected:
  static constexpr double datagram = 1200;
  static constexpr std::uint64_t long_leg = 1 << 20;
  static constexpr BytesPerSecond rate{12.5e6};

  FirstDataTest() { begin(40ms); }

  void begin(Duration round_trip) { data_.begin(1, 1, {rate, long_leg, 0, round_trip}, 0); }

  /// The echo of the next datagram, `lost` of those before it, which took so many times as long as they were sent in.
  std::optional<BytesPerSecond> echo(double slower, int lost = 0, bool paused = false) {
    const double sent = (1 + lost) * datagram;
    bytes_ += static_cast<std::uint64_t>(sent);
    BurstMeter::Seen seen;
    seen.paused = paused;
    seen.step = {.sent = sent,
                 .to_all = sent,
                 .arrived = datagram,
                 .sending = sent / rate.value,
                 .arriving = slower * datagram / rate.value};
    return data_.echoed(0, seen, bytes_, {rate, long_leg, bytes_, 40ms}, start);
  }

  FirstData data_;
  std::uint64_t bytes_ = 0;
};

TEST_F(FirstDataTest, lets_no_more_go_at_once_than_a_bucket_holds) {
  EXPECT_FALSE(data_.full(FirstData::bytes_to_one - 1, long_leg));
  EXPECT_TRUE(data_.full(FirstData::bytes_to_one, long_leg));
  EXPECT_FALSE(data_.full(FirstData::bytes_to_one, FirstData::bytes_to_one)) << "a leg that is no longer";
  echo(1);
  EXPECT_FALSE(data_.full(FirstData::bytes_to_one, long_leg)) << "so much has been echoed";
}

/// As much again as a bucket and a queue hold went at once: 50 of 120 datagrams were dropped.
TEST_F(FirstDataTest, counts_what_is_left_of_the_first_flight) {
  constexpr std::uint64_t first_flight = 64 << 10;
  constexpr std::uint64_t echoed = 3600;
  data_.begin(1, 1, {rate, long_leg, first_flight, 40ms}, echoed);
  EXPECT_FALSE(data_.full(echoed + FirstData::bytes_to_one - 1, long_leg));
  EXPECT_TRUE(data_.full(echoed + FirstData::bytes_to_one, long_leg));
}

TEST_F(FirstDataTest, lets_less_go_where_echoes_come_soon) {
  begin(100us);
  constexpr std::uint64_t in_1600_us = 20'000;
  EXPECT_FALSE(data_.full(in_1600_us - 1, FirstData::bytes_to_one));
  EXPECT_TRUE(data_.full(in_1600_us, FirstData::bytes_to_one)) << "although the leg is short";
  EXPECT_FALSE(data_.full(in_1600_us, in_1600_us));
  EXPECT_TRUE(data_.echoes_soon());
  echo(1);
  EXPECT_FALSE(data_.full(in_1600_us + 2400, long_leg)) << "another path is longer";
  EXPECT_FALSE(data_.echoes_soon());
}

/// What comes is a tenth of the rate, and no more goes.
TEST_F(FirstDataTest, takes_it_for_no_pause_to_wait_for_echoes) {
  begin(100us);
  constexpr std::uint64_t on_way = 20'000;
  const Duration one_by_one = rate.time_for(10 * datagram);
  Instant now = start;
  std::optional<BytesPerSecond> carried;
  for (int i = 0; !carried && i < 30; ++i, now += one_by_one) {
    bytes_ += static_cast<std::uint64_t>(datagram);
    BurstMeter::Seen seen;
    seen.paused = true;
    seen.step = {.sent = datagram,
                 .to_all = datagram,
                 .arrived = datagram,
                 .sending = seconds(one_by_one),
                 .arriving = seconds(one_by_one),
                 .begun = now - one_by_one};
    carried = data_.echoed(0, seen, bytes_, {rate, long_leg, bytes_ + on_way, 100us}, now);
  }
  ASSERT_TRUE(carried);
  EXPECT_NEAR(carried->value, rate.value / 10, 1);
}

TEST_F(FirstDataTest, is_over_when_nearly_all_of_it_has_come_as_fast_as_it_was_sent) {
  for (int i = 0; i < 62; ++i)
    EXPECT_FALSE(echo(1)) << i;
  EXPECT_FALSE(data_.over());
  EXPECT_FALSE(echo(1));
  EXPECT_TRUE(data_.over()) << "the last ones may be lost";
  EXPECT_FALSE(data_.full(long_leg, long_leg));
}

TEST_F(FirstDataTest, tells_what_comes_when_the_bucket_is_empty) {
  for (int i = 0; i < 10; ++i)
    EXPECT_FALSE(echo(1));
  std::optional<BytesPerSecond> carried;
  int datagrams = 0;
  for (; !carried && datagrams < 20; ++datagrams)
    carried = echo(10);
  ASSERT_TRUE(carried);
  EXPECT_NEAR(carried->value, rate.value / 10, 1);
  EXPECT_LE(datagrams, 13);
  EXPECT_TRUE(data_.over());
}

TEST_F(FirstDataTest, counts_what_arrived_where_a_full_queue_drops_the_rest) {
  std::optional<BytesPerSecond> carried;
  for (int i = 0; !carried && i < 20; ++i)
    carried = echo(20, 4);
  ASSERT_TRUE(carried);
  EXPECT_NEAR(carried->value, rate.value / 20, 1);
}

TEST_F(FirstDataTest, takes_no_pause_and_no_uneven_delays_for_a_link) {
  for (int i = 0; i < 30; ++i)
    EXPECT_FALSE(echo(10, 0, i % 4 == 0)) << i;
  for (int i = 0; i < 30; ++i)
    EXPECT_FALSE(echo(i % 3 == 0 ? 20 : 4)) << i;
}

TEST_F(FirstDataTest, ends_after_three_flights_that_tell_nothing) {
  for (int i = 0; i < 1000 && !data_.over(); ++i)
    echo(1, 4);
  EXPECT_TRUE(data_.over()) << "most is lost, and what comes is not late";
  EXPECT_GE(bytes_, 2 * FirstData::bytes_to_one);
  EXPECT_LE(bytes_, 4 * FirstData::bytes_to_one);
}

}  // namespace
}  // namespace lbsp::transport
