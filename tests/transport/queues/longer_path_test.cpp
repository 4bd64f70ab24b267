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
  void run(Duration time, Duration queue, Duration at_once, std::uint64_t arrived = 10) {
    for (const Instant end = now_ + time; now_ < end; now_ += 10ms) {
      QueueSample sample;
      sample.sent_at = now_;
      sample.queue = queue;
      sample.variation = seconds(at_once);
      sample.datagrams = 10;
      sample.arrived = arrived;
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
  path.run(10ms, 5ms, 45ms);
  EXPECT_EQ(path.longer(), 0ms) << "was a queue, or the path is as it was";
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
