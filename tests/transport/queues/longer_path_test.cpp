#include "transport/queues/longer_path.hpp"

#include <chrono>
#include <gtest/gtest.h>

#include "tests/transport/start.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr Duration round_trip = 40ms;

/// Echoes each 10 ms, of ten datagrams each.
class Path {
 public:
  void run(Duration time, Duration queue, Duration at_once, std::uint64_t arrived = 10,
           std::uint64_t bytes = 12'000) {
    for (const Instant end = now_ + time; now_ < end; now_ += 10ms) {
      QueueSample sample;
      sample.sent_at = now_;
      sample.queue = queue;
      sample.variation = seconds(at_once);
      sample.datagrams = 10;
      sample.arrived = arrived;
      sample.bytes = bytes;
      path_.note(sample, round_trip);
    }
  }
  Duration longer() const { return path_.longer(); }

 private:
  Instant now_ = start;
  LongerPath path_;
};

TEST(LongerPath, is_one_whose_delay_came_at_once_and_stays) {
  Path path;
  path.run(2s, 0ms, 0ms);
  path.run(800ms, 45ms, 45ms);
  EXPECT_EQ(path.longer(), 0ms) << "not yet";
  path.run(400ms, 45ms, 45ms);
  EXPECT_EQ(path.longer(), 45ms);
  path.run(50ms, 5ms, 45ms);
  EXPECT_EQ(path.longer(), 45ms) << "a few that overtook the others";
  path.run(400ms, 5ms, 45ms);
  EXPECT_EQ(path.longer(), 0ms) << "was a queue, or the path is as it was";
}

/// A queue that a datagram's shorter way had made up stood for five seconds, and the rate fell to a hundredth.
TEST(LongerPath, is_one_whose_delay_stays_the_same_to_a_hair_although_less_is_sent) {
  for (const std::uint64_t first_bytes : {20'000U, 12'000U}) {
    Path path;
    path.run(250ms, 20ms, 0ms, 10, first_bytes);
    path.run(250ms, 20ms, 0ms, 10, 12'000);
    path.run(250ms, 20ms, 0ms, 10, 12'000);
    EXPECT_EQ(path.longer(), first_bytes > 12'000 ? 20ms : 0ms) << "a rate that stays says nothing";
  }
  Path queue;
  queue.run(250ms, 20ms, 0ms, 10, 20'000);
  queue.run(250ms, 18ms, 0ms, 10, 12'000);
  queue.run(250ms, 20ms, 0ms, 10, 12'000);
  EXPECT_EQ(queue.longer(), 0ms);
  Path flood;
  flood.run(2s, 20ms, 0ms, 8, 20'000);
  flood.run(2s, 20ms, 0ms, 8, 12'000);
  EXPECT_EQ(flood.longer(), 0ms) << "a full queue drops";
}

TEST(LongerPath, heeds_no_single_datagram_that_took_a_shorter_way) {
  Path path;
  for (const std::uint64_t bytes : {20'000U, 12'000U, 8000U}) {
    path.run(100ms, 20ms, 0ms, 10, bytes);
    path.run(10ms, 0ms, 0ms, 10, bytes);
    path.run(140ms, 20ms, 0ms, 10, bytes);
  }
  EXPECT_EQ(path.longer(), 20ms);
}

TEST(LongerPath, is_none_whose_delay_grew_by_and_by) {
  Path path;
  path.run(2s, 0ms, 0ms);
  path.run(10s, 45ms, 10ms);
  EXPECT_EQ(path.longer(), 0ms);
}

TEST(LongerPath, is_none_where_more_is_lost_than_before) {
  Path path;
  path.run(2s, 0ms, 0ms);
  path.run(10s, 45ms, 45ms, 9);
  EXPECT_EQ(path.longer(), 0ms);
  Path lossy;
  lossy.run(2s, 0ms, 0ms, 9);
  lossy.run(2s, 45ms, 45ms, 9);
  EXPECT_EQ(lossy.longer(), 45ms);
}

/// Others may keep a queue as full as that. Who takes it for a longer path sends ever more.
TEST(LongerPath, is_none_where_more_is_lost_once_more_is_sent) {
  Path path;
  const auto seem_longer = [&path] {
    for (const std::uint64_t bytes : {20'000U, 12'000U, 8000U})
      path.run(400ms, 20ms, 0ms, 9, bytes);
  };
  seem_longer();
  path.run(4s, 20ms, 0ms, 9, 40'000);
  EXPECT_EQ(path.longer(), 20ms) << "no more is lost";
  path.run(1s, 20ms, 0ms, 7, 40'000);
  EXPECT_EQ(path.longer(), 0ms);
  seem_longer();
  EXPECT_EQ(path.longer(), 0ms) << "a mistake is remembered …";
  path.run(10s, 0ms, 0ms, 9);
  seem_longer();
  EXPECT_EQ(path.longer(), 20ms) << "… not for good";
}

TEST(LongerPath, is_none_where_the_delay_changes) {
  Path path;
  path.run(2s, 0ms, 0ms);
  for (int i = 0; i < 10; ++i) {
    path.run(400ms, 45ms, 45ms);
    path.run(400ms, 20ms, 45ms);
  }
  EXPECT_EQ(path.longer(), 0ms);
}

TEST(LongerPath, may_become_longer_again) {
  Path path;
  path.run(2s, 0ms, 0ms);
  path.run(2s, 45ms, 45ms);
  path.run(2s, 75ms, 75ms);
  EXPECT_EQ(path.longer(), 75ms);
}

}  // namespace
}  // namespace lbsp::transport
