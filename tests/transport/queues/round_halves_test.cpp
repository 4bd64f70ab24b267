#include "transport/queues/round_halves.hpp"

#include <chrono>
#include <gtest/gtest.h>

#include "tests/transport/start.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr Duration round_trip_of_halves = 40ms;

QueueSample echo_of_halves(Duration sent_at, Duration queue, Rank peer = 0) {
  QueueSample sample;
  sample.peer = peer;
  sample.sent_at = start + sent_at;
  sample.queue = queue;
  return sample;
}

TEST(RoundHalves, are_each_of_a_quarter_of_a_round_trip) {
  RoundHalves halves(start);
  EXPECT_FALSE(halves.add(echo_of_halves(0ms, 3ms), round_trip_of_halves));
  EXPECT_FALSE(halves.add(echo_of_halves(9ms, 2ms), round_trip_of_halves));
  EXPECT_FALSE(halves.earlier());
  EXPECT_FALSE(halves.add(echo_of_halves(10ms, 4ms), round_trip_of_halves));
  ASSERT_TRUE(halves.earlier());
  EXPECT_EQ(halves.later().begun, start + 10ms);
  EXPECT_FALSE(halves.add(echo_of_halves(19ms, 5ms), round_trip_of_halves));
  EXPECT_TRUE(halves.add(echo_of_halves(20ms, 6ms), round_trip_of_halves));
  EXPECT_TRUE(halves.add(echo_of_halves(21ms, 6ms), round_trip_of_halves)) << "it stays complete";
}

TEST(RoundHalves, have_two_echoes_at_the_least) {
  RoundHalves halves(start);
  EXPECT_FALSE(halves.add(echo_of_halves(30ms, 1ms), round_trip_of_halves));
  EXPECT_FALSE(halves.earlier());
  EXPECT_FALSE(halves.add(echo_of_halves(31ms, 1ms), round_trip_of_halves));
  EXPECT_TRUE(halves.earlier());
  EXPECT_FALSE(halves.add(echo_of_halves(50ms, 1ms), round_trip_of_halves));
  EXPECT_TRUE(halves.add(echo_of_halves(51ms, 1ms), round_trip_of_halves));
}

TEST(RoundHalves, know_the_least_queue_of_each_and_when_it_was_met) {
  RoundHalves halves(start);
  halves.add(echo_of_halves(2ms, 3ms), round_trip_of_halves);
  halves.add(echo_of_halves(4ms, 1ms), round_trip_of_halves);
  halves.add(echo_of_halves(12ms, 2ms), round_trip_of_halves);
  halves.add(echo_of_halves(14ms, 9ms), round_trip_of_halves);
  halves.add(echo_of_halves(16ms, 7ms), round_trip_of_halves);
  ASSERT_TRUE(halves.earlier());
  EXPECT_EQ(halves.earlier()->queue, 1ms);
  EXPECT_EQ(halves.earlier()->at, start + 4ms);
  EXPECT_EQ(halves.later().queue, 7ms);
  EXPECT_EQ(halves.later().at, start + 16ms);
}

TEST(RoundHalves, tell_whether_several_peers_were_sent_to_in_each) {
  RoundHalves halves(start);
  halves.add(echo_of_halves(1ms, 1ms, 1), round_trip_of_halves);
  halves.add(echo_of_halves(11ms, 1ms, 2), round_trip_of_halves);
  halves.add(echo_of_halves(12ms, 1ms, 2), round_trip_of_halves);
  halves.add(echo_of_halves(13ms, 1ms, 2), round_trip_of_halves);
  ASSERT_TRUE(halves.earlier());
  EXPECT_TRUE(halves.earlier()->several);
  EXPECT_FALSE(halves.later().several);
}

}  // namespace
}  // namespace lbsp::transport
