#include "transport/rate/full_queue.hpp"

#include <gtest/gtest.h>

#include "tests/transport/queue_seen.hpp"

namespace lbsp::transport {
namespace {

/// On a path of 40 ms, on which a queue of 4 ms stands.
FullQueue::Context path(double excess = 0) {
  return {.usual = 4e-3,
          .own_loss = 0,
          .excess = excess,
          .round_trip = 40ms,
          .told = false,
          .sends_long = true,
          .bounded = false};
}

/// After rounds of 40 ms with such a queue.
FullQueue after(int rounds, double queue, const FullQueue::Context& context) {
  FullQueue full;
  for (int i = 0; i < rounds; ++i) {
    QueueSeen round = seen(queue, 0, 0);
    round.earlier_at = start + i * 40ms;
    round.later_at = round.earlier_at + 20ms;
    full.note(round, context);
  }
  return full;
}

TEST(FullQueue, drops_more_than_chance_explains) {
  EXPECT_EQ(after(1, 3e-3, path(0.1)).holds(), 3e-3);
  EXPECT_FALSE(after(1, 3e-3, path(0.04)).holds());
  FullQueue::Context lossy = path(0.1);
  lossy.own_loss = 0.1;
  EXPECT_FALSE(after(1, 3e-3, lossy).holds()) << "of 90 datagrams nine more";
  EXPECT_FALSE(after(1, 1.5e-3, path(0.1)).holds()) << "that is hardly a queue";
}

TEST(FullQueue, is_there_for_twenty_round_trips) {
  EXPECT_FALSE(after(20, 3e-3, path()).holds());
  EXPECT_EQ(after(22, 3e-3, path()).holds(), 3e-3);
  EXPECT_FALSE(after(100, 1.9e-3, path()).holds());
  FullQueue::Context bounded = path();
  bounded.bounded = true;
  EXPECT_FALSE(after(100, 3e-3, bounded).holds()) << "the rate changes, and the queue with it";
  FullQueue::Context brief = path();
  brief.sends_long = false;
  EXPECT_FALSE(after(100, 3e-3, brief).holds());
}

TEST(FullQueue, that_is_short_now_and_then_is_none) {
  FullQueue full = after(15, 3e-3, path());
  full.note(seen(0, 0, 0), path());
  QueueSeen round = seen(3e-3, 0, 0);
  round.earlier_at = start + 25 * 40ms;
  round.later_at = round.earlier_at + 20ms;
  full.note(round, path());
  EXPECT_FALSE(full.holds());
}

TEST(FullQueue, of_a_rate_that_was_told_drops_something_besides) {
  FullQueue::Context told = path();
  told.told = true;
  EXPECT_FALSE(after(100, 3e-3, told).holds()) << "where delays vary, a queue stands and does no harm";
  told.excess = 0.02;
  EXPECT_TRUE(after(100, 3e-3, told).holds());
  told.excess = 0.4;
  EXPECT_FALSE(after(1, 3e-3, told).holds());
}

}  // namespace
}  // namespace lbsp::transport
