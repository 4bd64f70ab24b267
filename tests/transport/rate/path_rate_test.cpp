#include "transport/rate/path_rate.hpp"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <optional>

#include "tests/transport/queues/queue_sample.hpp"
#include "transport/queues/common_queue.hpp"

/// What bounds and holds the rate of one path.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

TEST(PathRate, an_echo_tells_of_what_was_sent_since_the_one_before) {
  PathRate path;
  const BytesPerSecond rate{8e6};
  path.echoed(3, {.packets = 10, .arrived = 8, .sent_at = start, .bytes = 1000, .bytes_to_all = 5000}, rate,
              40ms);
  const QueueSample told = path.echoed(3,
                                       {.packets = 25,
                                        .arrived = 20,
                                        .sent_at = start + 1ms,
                                        .arrived_at = 6000,
                                        .bytes = 4000,
                                        .bytes_to_all = 9000},
                                       rate, 40ms);
  EXPECT_EQ(told.peer, 3);
  EXPECT_EQ(told.since, start);
  EXPECT_EQ(told.sent_at, start + 1ms);
  EXPECT_EQ(told.queue, 5ms);
  EXPECT_EQ(told.datagrams, 15U);
  EXPECT_EQ(told.arrived, 12U);
  EXPECT_EQ(told.bytes, 3000U);
  EXPECT_EQ(told.bytes_so_far, 9000U);
}

/// Of what a path's datagrams meet, others meet `common` until `known`.
struct Scene {
  Duration own{10ms};
  Duration common{0};
  Duration known = 1s;
  Duration between{2ms};
  std::uint64_t bytes = 4 * datagram_bytes;
  QueueBound::Context context = context_beside_others();
  PathRate path{};

  /// In Mbit/s; 0: none.
  double bound() {
    CommonQueue others;
    for (int i = 0; i < 11; ++i) {
      if (i * between <= known) others.add(2, start + i * between, common);
      QueueSample told = sample(1, (i - 1) * between, i * between, own + common);
      told.bytes = bytes;
      told.bytes_by_now = told.bytes_so_far + 400'000;  // in 40 ms
      path.judge(told, others, context, start + i * between + 40ms);
    }
    return path.bound() ? path.bound()->value * 8e-6 : 0;
  }
};

/// 22.4 Mbit/s go this way, and 10 ms of 70 and 10 until an answer are to leave.
TEST(PathRate, is_bounded_by_the_queue_that_its_datagrams_meet_alone) {
  EXPECT_NEAR((Scene{.common = 4ms}.bound()), 19.6, 1e-9);
  EXPECT_EQ((Scene{.own = 3ms, .common = 1ms}.bound()), 0) << "3 ms do not stand";
  EXPECT_EQ((Scene{.common = 10ms}.bound()), 0) << "half of the queue is of all paths";
  Scene short_messages;
  short_messages.context.may_begin = false;
  EXPECT_EQ(short_messages.bound(), 0);
}

TEST(PathRate, is_bounded_where_nothing_is_known_of_others_if_nearly_all_goes_there) {
  const auto bound = [](bool alone, std::uint64_t bytes, Duration known) {
    Scene scene{.known = known, .bytes = bytes};
    scene.context.alone = alone;
    return scene.bound();
  };
  constexpr std::uint64_t nearly_all = 19'000;  // of 20'000 in 2 ms
  EXPECT_GT(bound(true, nearly_all, -1ms), 0);
  EXPECT_EQ(bound(true, 17'000, -1ms), 0);
  EXPECT_EQ(bound(false, nearly_all, -1ms), 0);
  EXPECT_EQ(bound(false, nearly_all, 4ms), 0) << "known of the earlier half only";
}

TEST(PathRate, begins_anew_after_a_pause) {
  EXPECT_GT((Scene{.own = 20ms, .between = 20ms}.bound()), 0);
  EXPECT_EQ((Scene{.own = 20ms, .between = 21ms}.bound()), 0);
}

TEST(PathRate, is_the_lower_one_of_the_bound_and_of_what_holds_it) {
  Scene scene;
  const double bound = scene.bound();
  ASSERT_GT(bound, 15);
  for (const double held : {10.0, 30.0}) {
    scene.path.hold(megabits_per_second(held), datagram_bytes, start);
    EXPECT_NEAR(scene.path.rate()->value * 8e-6, std::min(held, bound), 1e-9);
  }
  scene.path.hold(std::nullopt, datagram_bytes, start);
  EXPECT_NEAR(scene.path.rate()->value * 8e-6, bound, 1e-9);
}

TEST(PathRate, paces_what_goes_while_it_is_held) {
  PathRate path;
  path.sent(100 * datagram_bytes, megabits_per_second(100), start);
  EXPECT_TRUE(path.may_send(start));
  path.hold(megabits_per_second(1), datagram_bytes, start);
  EXPECT_EQ(path.rate(), megabits_per_second(1));
  path.sent(100 * datagram_bytes, megabits_per_second(100), start);
  EXPECT_FALSE(path.may_send(start));
  const Duration slowly = path.next_release() - start;
  path.hold(megabits_per_second(10), datagram_bytes, start);
  EXPECT_LT(path.next_release() - start, slowly / 5) << "at ten times the rate";
  path.hold(std::nullopt, datagram_bytes, start);
  EXPECT_TRUE(path.may_send(start));
}

}  // namespace
}  // namespace lbsp::transport
