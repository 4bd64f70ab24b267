#include "transport/queues/bound/full_queue.hpp"

#include <gtest/gtest.h>

#include "tests/transport/queues/bound/queue_seen.hpp"

namespace lbsp::transport {
namespace {

/// On a path of 40 ms, on which a queue of 4 ms stands.
FullQueue::Context path(double excess = 0) {
  return {.usual = 4e-3,
          .own_loss = 0,
          .excess = excess,
          .round_trip = 40ms,
          .varying = false,
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

/// Three of eight datagrams are lost now and then where losses come in runs.
TEST(FullQueue, holds_no_less_than_one_that_dropped_nothing) {
  FullQueue full = after(1, 2e-3, path(0.6));
  ASSERT_EQ(full.holds(), 2e-3);
  full.note(seen(6e-3, 0, 0), path(-0.05));
  EXPECT_EQ(full.holds(), 6e-3);
  full.note(seen(9e-3, 0, 0), path(0.02));
  EXPECT_EQ(full.holds(), 6e-3) << "nobody knows whether that was the queue";
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

TEST(FullQueue, overflows_if_two_rounds_in_a_row_lose_much_and_some_datagrams_meet_it) {
  FullQueue full;
  QueueSeen round = seen(0, 0, 0.5);
  round.longest = 3e-3;
  full.note(round, path(0.5));
  EXPECT_FALSE(full.overflows());
  full.note(round, path(0.5));
  EXPECT_TRUE(full.overflows());
  EXPECT_FALSE(full.holds()) << "how long it is, nobody knows";
  full.note(round, path(0.2));
  EXPECT_FALSE(full.overflows());
  round.longest = 1e-3;
  for (int i = 0; i < 9; ++i)
    full.note(round, path(0.5));
  EXPECT_FALSE(full.overflows()) << "the path's own loss may be as heavy";
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

TEST(FullQueue, where_delays_vary_drops_something_besides) {
  FullQueue::Context varying = path();
  varying.varying = true;
  EXPECT_FALSE(after(100, 3e-3, varying).holds()) << "where delays vary, a queue stands and does no harm";
  varying.excess = 0.02;
  EXPECT_TRUE(after(100, 3e-3, varying).holds());
  varying.excess = 0.4;
  EXPECT_FALSE(after(1, 3e-3, varying).holds());
}

/// Ranks that share a queue of ten datagrams see it as long as what one takes at their own rates, or shorter.
TEST(QueueBound, does_not_rise_while_most_is_dropped_however_short_the_queue_looks) {
  QueueBound bound;
  bound.judge(seen(0, 0), context());
  bound.judge(seen(10e-3, 0.25), context());
  ASSERT_TRUE(bound.rate());
  const auto loses_most = [&] {
    QueueSeen round = seen(0, 0, 0.6, megabits(bound));
    round.longest = 3e-3;
    return round;
  };
  for (int i = 0; i < 2; ++i)
    bound.judge(loses_most(), context());
  const double after_two = megabits(bound);
  for (int i = 0; i < 3; ++i) {
    const double before = megabits(bound);
    bound.judge(loses_most(), context());
    EXPECT_LT(megabits(bound), before);
  }
  EXPECT_LT(megabits(bound), after_two / 2);
}

}  // namespace
}  // namespace lbsp::transport
