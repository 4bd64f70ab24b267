#include "transport/queues/bound/little_queue.hpp"

#include <chrono>
#include <gtest/gtest.h>

/// Queues of a few datagrams, of which delays tell too little.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr Instant at{100s};
constexpr LittleQueue::Context little_context{.datagram = 1e-3, .own_loss = 0, .excess = 0.3, .slow = false};

QueueSeen round_with(double longest, double least) {
  return {.queue = least, .loss = 0.3, .datagrams = 64, .longest = longest, .later_at = at};
}

TEST(LittleQueue, holds_for_ten_seconds_once_it_has_dropped_much) {
  LittleQueue queue;
  EXPECT_FALSE(queue.holds(at));
  queue.note(round_with(3e-3, 1e-3), little_context);
  EXPECT_TRUE(queue.holds(at + 9s));
  EXPECT_FALSE(queue.holds(at + 10s));
}

TEST(LittleQueue, is_none_if_nothing_waits_or_nothing_more_is_dropped_or_the_link_is_slow) {
  LittleQueue queue;
  queue.note(round_with(0.5e-3, 0), little_context);
  EXPECT_FALSE(queue.holds(at)) << "random loss";
  LittleQueue::Context context = little_context;
  context.excess = 0.04;
  queue.note(round_with(3e-3, 1e-3), context);
  EXPECT_FALSE(queue.holds(at));
  context = little_context;
  context.slow = true;
  queue.note(round_with(3e-3, 1e-3), context);
  EXPECT_FALSE(queue.holds(at));
}

TEST(LittleQueue, is_none_once_a_longer_one_has_stood_but_single_late_datagrams_do_not_matter) {
  LittleQueue queue;
  queue.note(round_with(3e-3, 1e-3), little_context);
  queue.note(round_with(20e-3, 1e-3), little_context);
  EXPECT_TRUE(queue.holds(at));
  queue.note(round_with(20e-3, 8e-3), little_context);
  EXPECT_FALSE(queue.holds(at));
  queue.note(round_with(3e-3, 1e-3), little_context);
  EXPECT_FALSE(queue.holds(at)) << "for a minute";
}

}  // namespace
}  // namespace lbsp::transport
