#include "transport/simulated/active_queue.hpp"

#include <gtest/gtest.h>
#include <vector>

#include "tests/transport/start.hpp"
#include "transport/simulated/bottleneck.hpp"

/// The routers that keep queues short, against what their RFCs say.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// When datagrams that come each millisecond and wait so long are signalled, after the first.
std::vector<Duration> signals_of_codel(Duration wait, Duration time) {
  ActiveQueue queue(ActiveQueueRule::codel);
  std::vector<Duration> at;
  for (Duration since = 0ms; since < time; since += 1ms)
    if (queue.signals(start + since, wait)) at.push_back(since);
  return at;
}

TEST(ActiveQueue, of_codel_lets_a_short_queue_be) {
  EXPECT_TRUE(signals_of_codel(4900us, 10s).empty());
}

/// The control law: 100 ms over the square root of the number of drops.
TEST(ActiveQueue, of_codel_signals_ever_sooner_while_a_queue_stands) {
  EXPECT_EQ(signals_of_codel(6ms, 350ms), (std::vector<Duration>{100ms, 200ms, 271ms, 329ms}));
}

TEST(ActiveQueue, of_codel_begins_anew_when_the_queue_has_been_short) {
  ActiveQueue queue(ActiveQueueRule::codel);
  for (int i = 0; i < 99; ++i)
    EXPECT_FALSE(queue.signals(start + i * 1ms, 6ms));
  EXPECT_FALSE(queue.signals(start + 99ms, 1ms));
  for (int i = 100; i < 199; ++i)
    EXPECT_FALSE(queue.signals(start + i * 1ms, 6ms));
  EXPECT_TRUE(queue.signals(start + 200ms, 6ms));
}

/// In the last five of fifteen seconds.
struct Kept {
  double dropped;
  Duration wait;
};

Kept behind_pie(double load) {
  Bottleneck link({.rate = megabits_per_second(8), .queue_bytes = 1'000'000, .rule = ActiveQueueRule::pie});
  std::uint64_t dropped = 0;
  std::uint64_t sent = 0;
  Duration wait{0};
  const auto gap = std::chrono::duration_cast<Duration>(1ms / load);
  for (Duration since = 0ms; since < 15s; since += gap) {
    const bool passed = link.send(start + since, 1000).has_value();
    if (since < 10s) continue;
    ++sent;
    dropped += passed ? 0 : 1;
    wait += link.waiting(start + since);
  }
  return {static_cast<double>(dropped) / static_cast<double>(sent), wait / static_cast<Duration::rep>(sent)};
}

/// Who sends a quarter too much, and does not give way, loses a fifth; the queue is the 15 ms that are wanted.
TEST(ActiveQueue, of_pie_keeps_the_queue_that_is_wanted) {
  const Kept kept = behind_pie(1.25);
  EXPECT_NEAR(kept.dropped, 0.2, 0.01);
  EXPECT_GT(kept.wait, 10ms);
  EXPECT_LT(kept.wait, 20ms);
}

TEST(ActiveQueue, of_pie_drops_nothing_of_what_fits) {
  EXPECT_EQ(behind_pie(0.95).dropped, 0);
}

TEST(ActiveQueue, marks_what_lets_itself_be_marked) {
  Bottleneck link({.rate = megabits_per_second(8),
                   .queue_bytes = 1'000'000,
                   .rule = ActiveQueueRule::codel,
                   .rule_marks = true});
  for (int i = 0; i < 1000; ++i) {
    Ecn ecn = i % 2 == 0 ? Ecn::capable : Ecn::none;
    const bool passed = link.send(start + i * 900us, 1000, ecn).has_value();
    EXPECT_TRUE(passed || i % 2 == 1);
  }
  EXPECT_GT(link.marks(), 2u);
  EXPECT_GT(link.drops(), 2u);
}

}  // namespace
}  // namespace lbsp::transport
