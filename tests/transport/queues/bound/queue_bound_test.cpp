#include "transport/queues/bound/queue_bound.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <utility>

#include "tests/transport/queues/bound/queue_seen.hpp"

/// How high the bound is that a queue makes.
namespace lbsp::transport {
namespace {

TEST(QueueBound, follows_from_how_fast_a_queue_grows) {
  QueueBound bound;
  EXPECT_TRUE(bound.judge(seen(10e-3, 0.25), context()));
  EXPECT_NEAR(megabits(bound), 30, 1e-9)
      << "40 come through, and a quarter of the time until an answer empties it";
}

TEST(QueueBound, follows_from_what_is_lost_beyond_what_is_usual) {
  QueueBound bound;
  for (int i = 0; i < 100; ++i)
    bound.judge(seen(0, 0, 0.1), context());
  EXPECT_TRUE(bound.judge(seen(10e-3, 0, 0.1), context()));
  EXPECT_NEAR(megabits(bound), 43.75, 1e-9);
  bound.judge(seen(10e-3, 0, 0.28), context());
  EXPECT_NEAR(megabits(bound), 35.9, 0.2);
}

/// Who comes and floods a queue for a moment leaves little of what others sent meanwhile.
TEST(QueueBound, comes_back_to_half_of_what_it_was_after_a_flood_of_others) {
  QueueBound bound;
  bound.judge(seen(10e-3, 0.25), context());
  for (int i = 0; i < 3; ++i) {
    QueueSeen empty = seen(0, 0);
    empty.rate = bound.rate()->value;
    bound.judge(empty, context());
  }
  const double before = megabits(bound);
  for (const double queue : {40e-3, 80e-3, 60e-3, 20e-3, 0.0}) {
    QueueSeen flood = seen(queue, queue > 50e-3 ? 2 : 0);
    flood.rate = bound.rate()->value;
    bound.judge(flood, context());
  }
  EXPECT_NEAR(megabits(bound), before / 2, 0.1 * before);
}

/// Who was alone on a link, and had no bound, had next to nothing of it after three others had come one by one.
TEST(QueueBound, comes_back_to_half_of_what_came_through_if_others_flood_the_queue_with_which_it_begins) {
  QueueBound bound;
  bound.judge(seen(10e-3, 0.25), context());
  for (const double queue : {40e-3, 80e-3, 120e-3, 60e-3, 0.}) {
    QueueSeen flood = seen(queue, queue > 50e-3 ? 1 : 0);
    flood.rate = bound.rate()->value;
    bound.judge(flood, context());
  }
  EXPECT_NEAR(megabits(bound), 20, 1) << "of 40";
}

TEST(QueueBound, goes_on_emptying_a_queue_while_the_path_turns_out_shorter) {
  const auto after = [](double mistaken) {
    QueueBound bound;
    bound.judge(seen(10e-3, 0.25), context());
    QueueSeen shorter = seen(0, 0, 0.05, megabits(bound));
    shorter.mistaken = shorter.mistaken_of_late = mistaken;
    bound.judge(shorter, context());
    return megabits(bound);
  };
  EXPECT_NEAR(after(0), 40, 1) << "so much came through";
  EXPECT_LT(after(10e-3), 30);
}

/// Of 50 Mbit/s 40 came through, and until the answer to the next rate comes, in 70 ms and the queue's own time, 20 ms
/// are to leave: 10 that stand, and 10 that are on their way.
TEST(QueueBound, is_what_came_through_less_what_empties_the_queue) {
  QueueBound bound;
  bound.judge(seen(10e-3, 0.25), context());
  EXPECT_NEAR(megabits(bound), 30, 1e-9);
  bound.judge(seen(2.9e-3, 0.25), context());
  EXPECT_NEAR(megabits(bound), 32.922, 1e-3) << "it will stand soon";
  bound.judge(seen(400e-3, 0.25), context());
  EXPECT_NEAR(megabits(bound), 20, 1e-9) << "no less than half";
}

TEST(QueueBound, empties_only_what_has_not_left_since) {
  QueueSeen paused = seen(10e-3, 0.25);
  const auto after = [&paused](double sent_seconds) {
    paused.sent_since = sent_seconds * paused.rate;
    QueueBound bound;
    bound.judge(paused, context());
    return megabits(bound);
  };
  EXPECT_NEAR(after(0.024), 40, 1e-9) << "30 ms of 40 went to what was sent, and 10 to what stood";
  EXPECT_NEAR(after(0.032), 35, 1e-9) << "what stood then still stands";
  EXPECT_NEAR(after(1), 20, 1e-9) << "no less than half";
}

/// In which there are eight datagrams, of 11.2 ms each.
TEST(QueueBound, gives_a_queue_of_a_slow_link_a_round_to_become_empty) {
  QueueBound bound;
  bound.judge(seen(35e-3, 0, 0.05, 1), context());
  EXPECT_NEAR(megabits(bound), 1 - 35 / (50 + 89.6 + 35), 1e-9);
}

TEST(QueueBound, counts_as_congestion_what_is_lost_beyond_the_loss_without_a_queue_and_two_percent) {
  QueueBound bound;
  bound.judge(seen(1.9e-3, 0, 0.1), context());
  bound.judge(seen(2.1e-3, 0, 0.4), context());  // is no loss without a queue
  bound.judge(seen(10e-3, 0, 0.3), context());
  // The own loss is 0.05 + (0.1 - 0.05) * 90 / 340.
  EXPECT_NEAR(megabits(bound), 33.567, 1e-3);
}

TEST(QueueBound, rises_by_more_with_each_round_without_a_queue) {
  QueueBound bound;
  bound.judge(seen(10e-3, 0.25), context());
  for (const double expected : {40., 40.75, 42.25, 44.5, 48.5, 54.75}) {
    QueueSeen empty = seen(0, 0);
    empty.rate = bound.rate()->value;
    bound.judge(empty, context());
    EXPECT_NEAR(megabits(bound), expected, 1e-3);
  }
}

TEST(QueueBound, is_what_came_through_once_what_stood_has_left) {
  QueueBound bound;
  bound.judge(seen(40e-3, 0.25), context());
  ASSERT_NEAR(megabits(bound), 21.818, 1e-3);
  QueueSeen rest = seen(2.3e-3, 0);
  rest.rate = bound.rate()->value;
  bound.judge(rest, context());
  EXPECT_LT(megabits(bound), 21.8) << "it is not empty yet";
  bound.judge(seen(10e-3, 0.25), context());
  for (const double queue : {1.3e-3, 0.}) {
    QueueSeen gone = seen(queue, 0);
    gone.rate = megabits_per_second(33).value;
    bound.judge(gone, context());
    EXPECT_NEAR(megabits(bound), 40, 1e-9) << queue;
  }
}

/// A datagram takes 1.12 ms at 10 Mbit/s, and has 0.5 ms to wait.
TEST(QueueBound, does_not_take_the_time_for_a_queue_that_a_datagram_itself_takes) {
  QueueBound bound;
  QueueSeen slow = seen(30e-3, 0, 0.05, 10);
  bound.judge(slow, context());
  ASSERT_LT(megabits(bound), 8);
  slow.queue = 1.6e-3;
  slow.rate = bound.rate()->value;
  bound.judge(slow, context());
  EXPECT_NEAR(megabits(bound), 10, 1e-9);
}

TEST(QueueBound, sees_what_comes_through_at_half_the_rate_and_at_sixteen_times_the_rate) {
  QueueBound bound;
  for (const auto& [rate, growth] : {std::pair{100., 15.}, std::pair{100., 30.}, std::pair{3.125, -0.5}}) {
    bound.judge(seen(200e-3, growth, 0.05, rate), context());
    EXPECT_NEAR(megabits(bound), 3.125, 1e-9) << growth << ": half of what comes through";
  }
}

TEST(QueueBound, does_not_rise_while_less_is_sent) {
  QueueBound bound;
  bound.judge(seen(10e-3, 0.25), context());
  const double before = megabits(bound);
  for (const double queue : {0.0, 3e-3}) {
    QueueSeen less = seen(queue, 0);
    less.rate = megabits_per_second(0.69 * before).value;
    EXPECT_FALSE(bound.judge(less, context())) << queue;
    EXPECT_EQ(megabits(bound), before);
  }
  QueueSeen used = seen(3e-3, 0);
  used.rate = megabits_per_second(0.99 * before).value;
  EXPECT_TRUE(bound.judge(used, context()));
  EXPECT_NEAR(megabits(bound), 40, 1e-9);
  used = seen(10e-3, 0);
  used.rate = 0.7 * bound.rate()->value;
  used.sent_since = used.since * used.rate;
  EXPECT_TRUE(bound.judge(used, context()));
  EXPECT_NEAR(megabits(bound), 24.5, 1e-9) << "28 are used";
}

/// A queue of no more than what is tolerated does not stand, nor does one fill that is very short, or grows so slowly
/// that it will be no longer when an answer comes.
TEST(QueueBound, rises_while_less_is_sent_because_of_pauses_if_no_datagram_met_a_queue) {
  const auto judged = [](double busy_rate, double longest) {
    QueueBound bound;
    bound.judge(seen(12e-3, 0.25), context());
    const double before = megabits(bound);
    QueueSeen paused = seen(0, 0, 0.05, before / 2);
    paused.busy_rate = megabits_per_second(busy_rate * before).value;
    paused.longest = longest;
    bound.judge(paused, context());
    return megabits(bound) - before;
  };
  EXPECT_GT(judged(1, 4e-3), 0);
  EXPECT_EQ(judged(1, 5e-3), 0) << "longer than a tenth of the round trip";
  EXPECT_EQ(judged(0.6, 0), 0) << "it did not send faster in between either";
}

TEST(QueueBound, takes_what_came_through_only_from_queues_that_stand_or_fill) {
  const auto after = [](double queue, double growth) {
    QueueBound bound;
    QueueBound::Context path = context();
    path.round_trip = 10ms;
    bound.judge(seen(10e-3, 0), path);
    bound.judge(seen(0, 0), path);
    bound.judge(seen(queue, growth), path);
    return megabits(bound);
  };
  EXPECT_GT(after(3e-3, 0), 50);
  EXPECT_LT(after(3.1e-3, 0), 49);
  EXPECT_GT(after(2.9e-3, 0.005), 50);
  EXPECT_LT(after(2.9e-3, 0.007), 49);
  EXPECT_GT(after(0.51e-3, 0.3), 50);
  EXPECT_LT(after(0.53e-3, 0.3), 45) << "0.22 ms of it are the datagram's own";
}

TEST(QueueBound, learns_the_own_loss_from_queues_of_less_than_half_of_what_is_tolerated) {
  const auto after = [](double queue) {
    QueueBound bound;
    QueueBound::Context path = context();
    path.round_trip = 10ms;
    bound.judge(seen(10e-3, 0), path);
    for (int i = 0; i < 3; ++i)
      bound.judge(seen(queue, 0, 0.3), path);
    bound.judge(seen(10e-3, 0, 0.3), path);
    return megabits(bound);
  };
  EXPECT_LT(after(1.5e-3), 25) << "that loss is of the queue";
  EXPECT_GT(after(1.4e-3), 27);
}

TEST(QueueBound, rises_by_a_quarter_at_most) {
  QueueBound bound;
  bound.judge(seen(34e-3, 0.25, 0.05, 1), context());
  QueueSeen slow = seen(0, 0);
  for (int i = 0; i < 6; ++i) {
    const double before = megabits(bound);
    slow.rate = bound.rate()->value;
    bound.judge(slow, context());
    EXPECT_LT(megabits(bound), 1.5 * before);
  }
}

TEST(QueueBound, lets_two_datagrams_go_in_the_round_trip_and_a_quarter_of_the_queue) {
  QueueBound bound;
  bound.judge(seen(0, 0), context());
  QueueSeen slow = seen(400e-3, 3);
  slow.rate = megabits_per_second(0.1).value;
  bound.judge(slow, context());
  EXPECT_NEAR(megabits(bound), 0.16, 1e-9);
  EXPECT_EQ(bound.pause(100ms), 280ms) << "four datagrams";
  QueueBound::Context far = context();
  far.round_trip = 100ms;
  QueueBound fast;
  fast.judge(seen(50e-3, 0), far);
  EXPECT_EQ(fast.pause(100ms), 50ms) << "half a round trip";
}

/// Otherwise one bad round makes a path so slow that it is not seen to be free for seconds.
TEST(QueueBound, lets_two_datagrams_go_in_the_round_trip_after_a_pause) {
  QueueBound bound;
  bound.judge(seen(0, 0), context());
  QueueSeen slow = seen(400e-3, 3);
  slow.rate = megabits_per_second(0.1).value;
  bound.judge(slow, context());
  bound.sent(datagram_bytes, megabits_per_second(50), start);
  bound.sent(datagram_bytes, megabits_per_second(50), start + 1s);
  EXPECT_NEAR(megabits(bound), 0.56, 1e-9);
}

TEST(QueueBound, does_not_see_a_queue_coming_because_single_datagrams_are_late) {
  QueueBound bound;
  bound.judge(seen(10e-3, 0), context());
  bound.judge(seen(0, 0), context());
  const double before = megabits(bound);
  QueueSeen late = seen(2e-3, 0.2, 0.05, before);
  late.sure_growth = 0;
  bound.judge(late, context());
  EXPECT_GE(megabits(bound), before);
  late.sure_growth = late.growth;
  bound.judge(late, context());
  EXPECT_LT(megabits(bound), before);
}

}  // namespace
}  // namespace lbsp::transport
