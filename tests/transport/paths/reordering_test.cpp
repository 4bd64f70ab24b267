#include "transport/paths/reordering.hpp"

#include <gtest/gtest.h>

#include "tests/transport/scripted_network.hpp"
#include "tests/transport/simulated_run.hpp"
#include "tests/transport/start.hpp"

/// Datagrams that overtake each other are late, not lost.
namespace lbsp::transport::testing {
namespace {

using namespace std::chrono_literals;

constexpr Duration round_trip = 80ms;
constexpr Duration least = 5ms;

TEST(Reordering, the_window_is_five_quarters_of_what_was_late_and_a_round_trip_at_most) {
  Reordering order;
  EXPECT_EQ(order.window(round_trip, least, start), 0ms);
  order.missing(3, 6, start);
  EXPECT_EQ(order.window(round_trip, least, start), 0ms) << "nothing has come late";
  order.late(4, round_trip, start + 8ms);
  EXPECT_EQ(order.window(round_trip, least, start + 8ms), 10ms);
  order.late(3, round_trip, start + 4ms);
  EXPECT_EQ(order.window(round_trip, least, start + 8ms), 10ms) << "it was less late";
  order.late(5, round_trip, start + 70ms);
  EXPECT_EQ(order.window(round_trip, least, start + 70ms), 80ms);
}

TEST(Reordering, what_no_gap_tells_of_says_nothing) {
  Reordering order;
  order.missing(3, 6, start);
  order.late(6, round_trip, start + 8ms);
  EXPECT_EQ(order.window(round_trip, least, start + 8ms), 0ms);
}

TEST(Reordering, is_forgotten_step_by_step) {
  Reordering order;
  order.missing(3, 4, start);
  order.late(3, round_trip, start + 16ms);
  const Instant late = start + 16ms;
  EXPECT_EQ(order.window(round_trip, least, late + 16 * round_trip), 20ms);
  EXPECT_EQ(order.window(round_trip, least, late + 16 * round_trip + 1ms), 10ms);
  EXPECT_EQ(order.window(round_trip, least, late + 32 * round_trip + 1ms), 5ms);
  EXPECT_EQ(order.window(round_trip, least, late + 48 * round_trip + 1ms), 0ms);
}

TEST(Reordering, what_is_missing_is_lost_at_once_or_when_its_window_is_over) {
  Reordering order;
  EXPECT_EQ(order.missing(3, 6, start), 3u);
  EXPECT_TRUE(order.late(4, round_trip, start + 8ms)) << "it had counted as lost";
  EXPECT_EQ(order.missing(10, 15, start + 10ms), 0u);
  EXPECT_EQ(order.given_up(start + 19ms), 0u);
  EXPECT_FALSE(order.late(12, round_trip, start + 19ms));
  EXPECT_EQ(order.given_up(start + 21ms), 0u) << "that one was later than any before";
  EXPECT_EQ(order.given_up(start + 22ms), 4u);
  EXPECT_EQ(order.given_up(start + 22ms), 0u) << "once";
  EXPECT_TRUE(order.late(11, round_trip, start + 22ms));
}

struct Waste {
  double wire_per_payload = 0;
  double needless = 0;  ///< repairs, of the segments that messages have
};

Waste waste_of(double reorder, Duration jitter, std::size_t bytes) {
  Waste sum;
  double payload = 0;
  double segments = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SimulatedSupersteps job;
    job.config.size = 4;
    job.config.seed = seed;
    job.config.options.rate = megabits_per_second(100);
    job.config.wan.rate = job.config.options.rate;
    job.config.wan.round_trip_time = 70ms;
    job.config.wan.reorder = reorder;
    job.config.wan.jitter = jitter;
    job.supersteps = 20;
    job.message = [bytes](std::uint32_t superstep, Rank from, Rank to) {
      return patterned(from, to, bytes, superstep);
    };
    SimulatedRun run(job);
    run.complete();
    for (Rank rank = 0; rank < 4; ++rank) {
      const TrafficCounters& counters = run.network().endpoint(rank).counters();
      sum.wire_per_payload += static_cast<double>(counters.wire_bytes_sent);
      sum.needless += static_cast<double>(counters.segments_resent);
      payload += static_cast<double>(counters.payload_bytes_sent);
      segments += static_cast<double>(counters.segments_sent - counters.segments_resent);
    }
  }
  sum.wire_per_payload /= payload;
  sum.needless /= segments;
  return sum;
}

TEST(Reordering, jitter_of_35_ms_that_reorders_everything_costs_hardly_any_repairs) {
  for (const std::size_t bytes : {65'536u, 500'000u}) {
    const Waste waste = waste_of(1, 0ms, bytes);
    EXPECT_LE(waste.wire_per_payload, 1.15) << bytes;
    EXPECT_LE(waste.needless, 0.03) << bytes;
  }
}

TEST(Reordering, a_twentieth_that_is_overtaken_costs_hardly_any_repairs) {
  for (const std::size_t bytes : {65'536u, 500'000u}) {
    const Waste waste = waste_of(0.05, 0ms, bytes);
    EXPECT_LE(waste.wire_per_payload, 1.15) << bytes;
    EXPECT_LE(waste.needless, 0.02) << bytes;
  }
}

}  // namespace
}  // namespace lbsp::transport::testing
