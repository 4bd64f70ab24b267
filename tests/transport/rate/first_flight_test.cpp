#include "transport/rate/first_flight.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t train_datagram = 1200;
constexpr Instant start{1s};

/// Datagrams of a train that arrive so long after each other.
class Train {
 public:
  explicit Train(std::chrono::microseconds apart, std::chrono::microseconds sent_apart = 96us)
      : apart_(apart), sent_apart_(sent_apart) {}

  /// The echo of the datagram with this number; `lost` of those before it have not come.
  TrainMark echo(std::uint32_t number, std::uint32_t lost = 0) const {
    TrainMark mark;
    mark.train = 1;
    mark.packets = number;
    mark.arrived = number - lost;
    mark.sent_at = start + number * sent_apart_;
    mark.arrived_at = static_cast<std::uint32_t>(number * apart_.count());
    mark.bytes = mark.bytes_to_all = number * train_datagram;
    return mark;
  }

 private:
  std::chrono::microseconds apart_;
  std::chrono::microseconds sent_apart_;
};

FirstFlight flight_to(std::size_t paths) {
  return {paths, train_datagram, true};
}

/// Seven echoes, of which none tells the flight's end with a rate.
void expect_no_rate(FirstFlight& flight, Rank peer, const Train& train) {
  for (std::uint32_t number = 1; number <= 7; ++number)
    EXPECT_FALSE(flight.echoed(peer, train.echo(number)));
}

TEST(FirstFlight, tells_what_the_link_carries_by_how_far_apart_datagrams_arrive) {
  FirstFlight flight = flight_to(1);
  const Train train(960us);
  for (std::uint32_t number = 1; number <= 6; ++number)
    EXPECT_FALSE(flight.echoed(0, train.echo(number)));
  const auto carried = flight.echoed(0, train.echo(7));
  ASSERT_TRUE(carried);
  EXPECT_NEAR(carried->value, 1200 / 960e-6, 1);
  EXPECT_TRUE(flight.over());
}

/// The first four fit into the bucket, so they arrive as they were sent.
TEST(FirstFlight, tells_what_the_link_carries_behind_a_token_bucket) {
  FirstFlight flight = flight_to(1);
  const Train train(960us, 0us);
  std::optional<BytesPerSecond> carried;
  for (std::uint32_t number = 1; number <= FirstFlight::train_datagrams && !flight.over(); ++number) {
    TrainMark mark = train.echo(number);
    mark.arrived_at = number <= 4 ? number : (number - 4) * 960;
    carried = flight.echoed(0, mark);
  }
  ASSERT_TRUE(carried);
  EXPECT_NEAR(carried->value, 1200 / 960e-6, 1);
}

TEST(FirstFlight, waits_for_no_more_of_a_train_whose_last_datagrams_are_late_by_chance) {
  FirstFlight flight = flight_to(1);
  const Train train(10us, 0us);
  for (std::uint32_t number = 1; number <= FirstFlight::train_datagrams && !flight.over(); ++number) {
    TrainMark mark = train.echo(number);
    if (number >= 6) mark.arrived_at += number % 2 == 0 ? 400U : 900U;
    EXPECT_FALSE(flight.echoed(0, mark)) << number;
  }
  EXPECT_TRUE(flight.over());
}

/// Datagrams of 300 bytes that went at once, on a link of 50 Mbit/s.
TEST(FirstFlight, tells_it_by_delays_of_less_than_a_millisecond_that_are_even) {
  FirstFlight flight = flight_to(1);
  const Train train(48us, 0us);
  for (std::uint32_t number = 1; number <= 6; ++number)
    EXPECT_FALSE(flight.echoed(0, train.echo(number)));
  EXPECT_TRUE(flight.echoed(0, train.echo(7)));
}

TEST(FirstFlight, takes_such_delays_for_the_hosts_where_they_are_uneven) {
  FirstFlight flight = flight_to(1);
  const Train train(48us, 0us);
  for (std::uint32_t number = 1; number <= 7; ++number) {
    TrainMark mark = train.echo(number);
    if (number % 2 == 0) mark.arrived_at -= 40;
    EXPECT_FALSE(flight.echoed(0, mark)) << number;
  }
  EXPECT_TRUE(flight.over());
}

TEST(FirstFlight, says_nothing_of_a_link_that_carries_what_is_sent) {
  FirstFlight flight = flight_to(1);
  const Train train(100us);
  for (std::uint32_t number = 1; number <= 7; ++number)
    EXPECT_FALSE(flight.echoed(0, train.echo(number)));
  EXPECT_TRUE(flight.over());
}

/// Only the last echo is new then.
TEST(FirstFlight, is_answered_and_lets_more_go_where_a_receiver_has_read_the_whole_train_at_once) {
  FirstFlight flight = flight_to(1);
  const Train train(10us);
  EXPECT_FALSE(flight.answered());
  EXPECT_FALSE(flight.echoed(0, train.echo(12)));
  EXPECT_TRUE(flight.answered());
  EXPECT_FALSE(flight.over());
  EXPECT_FALSE(flight.full(FirstFlight::bytes_where_read_at_once));
  EXPECT_TRUE(flight.full(2 * FirstFlight::bytes_where_read_at_once));
  for (std::uint32_t number = 13; number <= 60 && !flight.over(); ++number)
    EXPECT_FALSE(flight.echoed(0, train.echo(number)));
  EXPECT_TRUE(flight.over());
}

TEST(FirstFlight, after_a_train_that_was_read_at_once_tells_by_the_data_what_a_link_carries) {
  FirstFlight flight = flight_to(1);
  EXPECT_FALSE(flight.echoed(0, Train(10us).echo(12)));
  const Train train(960us);
  std::optional<BytesPerSecond> carried;
  for (std::uint32_t number = 13; number <= 60 && !flight.over(); ++number)
    carried = flight.echoed(0, train.echo(number));
  ASSERT_TRUE(carried);
  EXPECT_NEAR(carried->value, 1200 / 960e-6, 1);
}

TEST(FirstFlight, waits_for_two_hosts_and_tells_what_the_better_one_gets) {
  FirstFlight flight = flight_to(3);
  expect_no_rate(flight, 0, Train(9600us));
  EXPECT_FALSE(flight.over());
  for (std::uint32_t number = 1; number <= 6; ++number)
    EXPECT_FALSE(flight.echoed(2, Train(960us).echo(number)));
  const auto carried = flight.echoed(2, Train(960us).echo(7));
  ASSERT_TRUE(carried);
  EXPECT_NEAR(carried->value, 1200 / 960e-6, 1);
}

TEST(FirstFlight, is_no_limit_where_only_one_host_is_slow_to_reach) {
  FirstFlight flight = flight_to(3);
  expect_no_rate(flight, 0, Train(9600us));
  expect_no_rate(flight, 1, Train(10us));
  EXPECT_TRUE(flight.over());
}

/// One asked is slow to reach, the other has read all at once. The data goes to a third one, whose receiver tells of
/// many datagrams at a time.
TEST(FirstFlight, is_no_limit_where_data_to_another_host_arrives_as_fast_as_it_was_sent) {
  FirstFlight flight = flight_to(3);
  expect_no_rate(flight, 0, Train(9600us));
  EXPECT_FALSE(flight.echoed(1, Train(10us).echo(12)));
  EXPECT_TRUE(flight.answered());
  for (std::uint32_t number = 64; number <= 640 && !flight.over(); number += 64)
    EXPECT_FALSE(flight.echoed(2, Train(96us).echo(number)));
  EXPECT_TRUE(flight.over());
}

/// Data that follow tell enough then.
TEST(FirstFlight, does_not_wait_for_a_host_that_is_silent_while_others_get_data) {
  FirstFlight flight = flight_to(3);
  std::optional<BytesPerSecond> carried;
  for (std::uint32_t number = 1; number <= 60 && !flight.over(); ++number)
    carried = flight.echoed(0, Train(960us).echo(number));
  EXPECT_TRUE(flight.over());
  ASSERT_TRUE(carried);
  EXPECT_NEAR(carried->value, 1200 / 960e-6, 1);
}

TEST(FirstFlight, does_not_take_a_host_that_stood_still_for_a_slow_link) {
  for (const std::uint32_t microseconds : {2'000U, 20'000U}) {
    FirstFlight flight = flight_to(1);
    const Train train(100us);
    for (std::uint32_t number = 1; number <= 7; ++number) {
      TrainMark mark = train.echo(number);
      if (number > 3) mark.arrived_at += microseconds;
      EXPECT_FALSE(flight.echoed(0, mark)) << number;
    }
    EXPECT_TRUE(flight.over());
    // For so long, delays may vary, and have the train come at once behind a slow link.
    EXPECT_EQ(flight.uneven().has_value(), microseconds > 3000);
  }
}

/// Behind a link of 2 Mbit/s, where delays vary by 10 ms.
TEST(FirstFlight, does_not_believe_a_train_that_has_caught_up_with_two_late_datagrams) {
  FirstFlight flight = flight_to(1);
  const Train train(1us, 1us);
  for (std::uint32_t number = 1; number <= 7; ++number) {
    TrainMark mark = train.echo(number);
    mark.arrived_at = number == 1 ? 0 : number == 2 ? 6580 : 14'330;
    EXPECT_FALSE(flight.echoed(0, mark)) << number;
  }
  EXPECT_TRUE(flight.over());
  ASSERT_TRUE(flight.uneven());
  EXPECT_NEAR(flight.uneven()->value, 6 * train_datagram / 14.33e-3, 1);
}

/// As where delays vary by some milliseconds.
TEST(FirstFlight, does_not_take_uneven_arrivals_for_a_slow_link) {
  FirstFlight flight = flight_to(1);
  const Train train(960us);
  constexpr std::array<std::uint32_t, 12> later{0, 700, 100, 900, 300, 800, 0, 850, 200, 600, 50, 900};
  for (std::uint32_t number = 1; number <= 12; ++number) {
    TrainMark mark = train.echo(number);
    mark.arrived_at += later[number - 1];
    EXPECT_FALSE(flight.echoed(0, mark)) << number;
  }
  EXPECT_TRUE(flight.over());
}

TEST(FirstFlight, does_not_believe_what_two_trains_say_together) {
  FirstFlight flight = flight_to(1);
  const Train train(960us, 5ms);
  for (std::uint32_t number = 1; number <= 20; ++number) {
    TrainMark mark = train.echo(number);
    mark.train = number;
    EXPECT_FALSE(flight.echoed(0, mark)) << number;
  }
  EXPECT_FALSE(flight.over());
}

/// What is lost may be others' share of the link, or the path's own.
TEST(FirstFlight, is_over_where_a_third_is_lost) {
  FirstFlight flight = flight_to(1);
  const Train train(960us);
  EXPECT_FALSE(flight.echoed(0, train.echo(1)));
  EXPECT_FALSE(flight.echoed(0, train.echo(9, 3)));
  EXPECT_TRUE(flight.over());
}

TEST(FirstFlight, lets_some_datagrams_of_each_path_go_and_twice_as_many_after_their_echoes) {
  FirstFlight flight = flight_to(20);
  const std::uint64_t most = 20 * FirstFlight::datagrams_of_path * train_datagram;
  EXPECT_FALSE(flight.full(most - 1));
  EXPECT_TRUE(flight.full(most));
  TrainMark mark;
  mark.train = 1;
  mark.packets = mark.arrived = 1;
  mark.bytes_to_all = most;
  flight.echoed(0, mark);
  EXPECT_FALSE(flight.full(3 * most - 1));
  EXPECT_TRUE(flight.full(3 * most));
}

TEST(FirstFlight, is_none_where_the_rate_is_known_or_nobody_is_far) {
  EXPECT_TRUE(FirstFlight(3, train_datagram, false).over());
  EXPECT_TRUE(FirstFlight(0, train_datagram, true).over());
}

}  // namespace
}  // namespace lbsp::transport
