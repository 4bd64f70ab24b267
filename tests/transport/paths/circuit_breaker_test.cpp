#include "transport/paths/circuit_breaker.hpp"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>

#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// Paths on which next to nothing arrives for a long time.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr Duration patience = 15s;

/// Tells a breaker what becomes of a path's datagrams.
struct Path {
  CircuitBreaker breaker;
  std::uint64_t sent = 0;  ///< of which echoes have told
  std::uint64_t under_way = 0;
  std::uint32_t arrived = 0;
  Instant now = start;
  int changes = 0;  ///< of what may be sent, as told() says

  /// For that long, echoes come ten times a second, and tell of as many datagrams.
  void goes_on(Duration time, std::uint64_t more_sent, std::uint32_t more_arrived, Duration between = 100ms) {
    for (const Instant end = now + time; now < end;) {
      now += between;
      sent += more_sent;
      arrived += more_arrived;
      changes += breaker.told(sent, arrived, sent + under_way, patience, now);
    }
  }
};

TEST(CircuitBreaker, slows_a_path_down_before_it_gives_it_up) {
  Path path;
  path.goes_on(14s, 100, 2);
  EXPECT_EQ(path.breaker.most_per_second(), std::nullopt);
  path.goes_on(2s, 100, 2);
  EXPECT_EQ(path.breaker.most_per_second(), CircuitBreaker::slowest_per_second);
  path.goes_on(13s, 1, 0);
  EXPECT_FALSE(path.breaker.open());
  path.goes_on(3s, 1, 0);
  EXPECT_TRUE(path.breaker.open());
  EXPECT_EQ(path.changes, 1);
  EXPECT_EQ(path.breaker.stretch().time, 2 * patience);
  EXPECT_EQ(path.breaker.stretch().sent, 16'141U);
}

TEST(CircuitBreaker, lets_more_go_as_more_arrives) {
  Path path;
  path.goes_on(16s, 100, 2);
  ASSERT_EQ(path.breaker.most_per_second(), CircuitBreaker::slowest_per_second);
  path.goes_on(8s, 1, 1);
  EXPECT_EQ(path.breaker.most_per_second(), 2 * CircuitBreaker::slowest_per_second);
  path.goes_on(60s, 30, 10);
  EXPECT_EQ(path.breaker.most_per_second(), std::nullopt);
  EXPECT_EQ(path.changes, 1 + 14) << "twice as much each time, up to 131072 a second";
}

TEST(CircuitBreaker, does_not_count_what_went_out_before_the_rate_fell) {
  Path path;
  path.under_way = 5000;
  path.goes_on(16s, 100, 2);
  ASSERT_EQ(path.breaker.most_per_second(), CircuitBreaker::slowest_per_second);
  path.goes_on(49s, 10, 0);
  EXPECT_FALSE(path.breaker.open());
  path.goes_on(20s, 10, 0);
  EXPECT_TRUE(path.breaker.open());
  EXPECT_EQ(path.changes, 1);
}

TEST(CircuitBreaker, stays_closed_where_a_tenth_arrives) {
  Path path;
  path.goes_on(600s, 10, 1);
  EXPECT_EQ(path.breaker.most_per_second(), std::nullopt);
  EXPECT_EQ(path.changes, 0);
}

TEST(CircuitBreaker, judges_after_all_its_patience_and_256_datagrams) {
  Path fast;
  fast.goes_on(15s, 100, 2);
  EXPECT_EQ(fast.changes, 0) << "14.9 seconds after the first echo";
  fast.goes_on(100ms, 100, 2);
  EXPECT_EQ(fast.changes, 1);

  Path slow;
  slow.goes_on(16s, 15, 0, 1s);
  EXPECT_EQ(slow.changes, 0) << "240 datagrams";
  Path enough;
  enough.goes_on(16s, 16, 0, 1s);
  EXPECT_EQ(enough.changes, 1);
  enough.goes_on(15s, 4, 0, 1s);
  EXPECT_FALSE(enough.breaker.open()) << "60 datagrams";
  enough.goes_on(1s, 4, 0, 1s);
  EXPECT_TRUE(enough.breaker.open());
}

TEST(CircuitBreaker, takes_less_than_three_percent_for_next_to_nothing_and_five_for_more) {
  Path path;
  path.goes_on(60s, 100, 3);
  EXPECT_EQ(path.changes, 0);
  Path slowed;
  slowed.goes_on(16s, 100, 2);
  ASSERT_EQ(slowed.changes, 1);
  slowed.goes_on(4s, 20, 1);
  EXPECT_GT(slowed.changes, 1);
}

TEST(CircuitBreaker, lets_more_go_after_64_datagrams_and_an_eighth_of_its_patience) {
  Path path;
  path.goes_on(15s + 100ms, 100, 2);
  ASSERT_EQ(path.changes, 1);
  path.goes_on(patience / 8, 32, 32, patience / 16);
  EXPECT_EQ(path.changes, 2);
}

TEST(CircuitBreaker, counts_half_its_patience_at_most_between_two_echoes_that_tell_more) {
  Path path;
  path.goes_on(1s, 100, 2, 1s);
  path.goes_on(1s, 100, 2, 1s);
  path.goes_on(5s, 0, 0, 1s);
  EXPECT_EQ(path.breaker.stretch().time, 1s);
  EXPECT_EQ(path.changes, 0);
  path.goes_on(14s, 100, 2, 14s);
  EXPECT_EQ(path.breaker.stretch().time, 1s + patience / 2);
}

TEST(CircuitBreaker, leaves_outages_to_the_silent_peer_limit) {
  Path path;
  for (int i = 0; i < 10; ++i) {
    path.goes_on(14s, 3000, 1, 14s);
    path.goes_on(3s, 100, 95);
    EXPECT_EQ(path.breaker.most_per_second(), std::nullopt);
  }
}

/// One of two ranks sends to the other, through an uplink.
struct Scene {
  SimulationConfig config;
  std::shared_ptr<Bottleneck> uplink;
  SharedTime time;
  std::unique_ptr<RunningJob> job;

  Scene(BottleneckSpec link, const char* wan) : uplink(std::make_shared<Bottleneck>(std::move(link))) {
    config.size = 2;
    config.wan = parse_wan_spec(wan);
    config.options.rate = megabits_per_second(10);
    config.topology.hosts = {{1, uplink, nullptr}, {1, nullptr, nullptr}};
  }
  /// Ends with std::runtime_error if a rank fails.
  void run(std::size_t bytes, Duration length) {
    job = std::make_unique<RunningJob>(config, [bytes](Rank from, Rank) { return from == 0 ? bytes : 0; });
    time.add(*job);
    time.run_until([] { return false; }, start + length);
  }
};

/// Such as a policer that somebody has set to kilobits where megabits were meant.
TEST(CircuitBreaker, ends_a_job_of_which_hardly_anything_arrives) {
  Scene scene({.rate = megabits_per_second(0.001), .queue_bytes = 3000, .polices = true}, "rtt=20ms");
  try {
    scene.run(1 << 20, 120s);
    FAIL() << scene.uplink->drops() << " datagrams were dropped";
  } catch (const std::runtime_error& failure) {
    EXPECT_THAT(failure.what(),
                AllOf(HasSubstr("rank 1 answers, but"), HasSubstr("datagrams from rank 0 arrived"),
                      HasSubstr("at 8 a second in the end: the network between them")));
  }
  EXPECT_LT(scene.job->network().now(), start + 4 * patience);
}

TEST(CircuitBreaker, lets_jobs_go_on_that_have_a_path) {
  Scene lossy({.rate = megabits_per_second(1000)}, "rtt=20ms,loss=90%");
  lossy.run(64 << 10, 40s);
  EXPECT_GE(lossy.job->supersteps(), 5U);

  Scene slow({.rate = megabits_per_second(0.1), .queue_bytes = 8 << 10}, "rtt=20ms");
  slow.config.options.rate = megabits_per_second(100);
  slow.config.options.find_rate = true;
  slow.run(64 << 10, 100s);
  EXPECT_GE(slow.job->supersteps(), 5U);

  Scene interrupted({.rate = megabits_per_second(10)}, "rtt=20ms");
  for (int i = 0; i < 5; ++i)
    interrupted.config.faults.outages.push_back({0, 1, i * 15s + 300ms, i * 15s + 14s});
  interrupted.run(1 << 20, 80s);
  EXPECT_GE(interrupted.job->supersteps(), 5U);
}

/// The other direction works, so that its reports go on saying that nothing has come.
TEST(OneWayOutage, is_not_filled_with_repairs) {
  Scene scene({.rate = megabits_per_second(10)}, "rtt=40ms");
  scene.config.faults.outages.push_back({0, 1, 1s, 9s});
  scene.run(1 << 20, 12s);
  EXPECT_GE(scene.job->supersteps(), 3U);
  const std::uint64_t segments_of_message = (1 << 20) / 1400;
  EXPECT_LT(scene.job->traffic().segments_resent, 4 * segments_of_message) << "7140 would fit the link";
  EXPECT_LT(scene.job->seconds(1), 8 + 1.2);
}

}  // namespace
}  // namespace lbsp::transport
