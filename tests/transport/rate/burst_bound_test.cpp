#include "transport/rate/burst_bound.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>

#include "tests/transport/start.hpp"
#include "transport/impairment/random.hpp"
#include "transport/rate/burst_meter.hpp"

/// Short messages over links that carry much less than they are sent at.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// A path with an empty delay of 20 ms, to which a rank sends messages at 100 Mbit/s, or at its bound.
class BurstsOverLink : public ::testing::Test {
 protected:
  static constexpr std::size_t datagram = 1250;
  static constexpr BytesPerSecond unbounded = megabits_per_second(100);

  BytesPerSecond carried = megabits_per_second(10);  ///< a datagram takes 1 ms
  Duration longest_queue = 8ms;
  double loss = 0;        ///< behind the queue
  Duration jitter{0};     ///< up to this much later
  bool in_order = false;  ///< who comes behind a late one is as late
  double reported = 0.1;  ///< loss that the peer tells
  double jump = 0;        ///< seconds
  Duration apart = 50ms;  ///< messages
  bool goes_on = false;
  bool queued = false;
  BytesPerSecond sending = unbounded;
  BurstBound bound;

  /// So many messages of so many datagrams.
  void send(int messages, int datagrams) {
    for (int message = 0; message < messages; ++message, now_ += apart) {
      for (int i = 0; i < datagrams; ++i)
        send_one();
    }
  }

  /// So many bursts to another peer, before whom there is no queue.
  void send_elsewhere(int bursts) {
    for (int i = 0; i < bursts; ++i, now_ += 10ms) {
      constexpr double bytes = 12 * datagram;
      const double time = bytes / bound.rate().value_or(unbounded).value;
      BurstMeter::Seen seen;
      seen.step = {bytes, bytes, bytes, time, time, 0, now_};
      seen.paused = false;
      seen.whole = seen.step;
      bound.judge(seen, context(1));
    }
  }

  void fill_queue(Duration queue) { free_at_ = now_ + queue; }
  Duration queue() const { return std::max(free_at_ - now_, Duration{0}); }

  double megabits() const { return bound.rate().value_or(BytesPerSecond{0}).value * 8e-6; }

 private:
  void send_one() {
    const BytesPerSecond rate = bound.rate().value_or(unbounded);
    ++mark_.packets;
    mark_.bytes += datagram;
    mark_.bytes_to_all += datagram;
    const Duration queue = std::max(free_at_ - now_, Duration{0});
    if (queue <= longest_queue) {
      free_at_ = std::max(free_at_, now_) + carried.time_for(datagram);
      if (random_.unit() >= loss) arrive(rate);
    }
    now_ += rate.time_for(datagram);
  }

  void arrive(BytesPerSecond rate) {
    ++mark_.arrived;
    mark_.sent_at = now_;
    mark_.loss = reported;
    const Duration late = std::chrono::duration_cast<Duration>(random_.unit() * jitter);
    const Instant arrives = std::max(free_at_ + 20ms + late, in_order ? last_arrival_ : start);
    last_arrival_ = arrives;
    mark_.arrived_at = static_cast<std::uint32_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(arrives.time_since_epoch()).count());
    bound.judge(meter_.add(mark_, arrives - now_ - 20ms, unbounded, rate), context(0));
  }

  BurstBound::Context context(Rank peer) const {
    return {.sending = sending,
            .datagram_bytes = datagram,
            .is_short = true,
            .loss = reported,
            .now = now_,
            .jump = jump,
            .goes_on = goes_on,
            .queued = queued,
            .peer = peer};
  }

  BurstMeter meter_;
  TrainMark mark_ = {};
  Random random_{7};
  Instant now_ = start;
  Instant free_at_ = start;
  Instant last_arrival_ = start;
};

TEST_F(BurstsOverLink, begin_a_bound_of_what_the_link_carries) {
  send(3, 12);
  EXPECT_NEAR(megabits(), 10, 1);
  send(40, 12);
  EXPECT_GT(megabits(), 9);
  EXPECT_LT(megabits(), 14);
}

TEST_F(BurstsOverLink, begin_none_where_nothing_is_lost) {
  reported = 0.01;
  longest_queue = 1s;
  send(20, 12);
  EXPECT_FALSE(bound.rate());
}

TEST_F(BurstsOverLink, begin_none_where_the_link_carries_most_of_the_rate) {
  carried = megabits_per_second(60);
  send(40, 12);
  EXPECT_FALSE(bound.rate());
}

/// A pacer lets bursts go at once; before a link that carries the rate they arrive one by one, too.
TEST(BurstBound, begins_not_where_bursts_go_faster_than_the_rate_that_the_link_carries) {
  BurstBound bound;
  const auto context = [](double megabits) {
    return BurstBound::Context{.sending = megabits_per_second(megabits),
                               .datagram_bytes = 1250,
                               .is_short = true,
                               .loss = 0.1,
                               .now = start,
                               .jump = 0};
  };
  const Burst step{.sent = 2500, .to_all = 2500, .arrived = 2500, .sending = 50e-6, .arriving = 2e-3};
  for (int i = 0; i < 40; ++i)
    bound.judge({.step = step, .paused = false, .whole = std::nullopt}, context(11));
  EXPECT_FALSE(bound.rate());
  bound.judge({.step = step, .paused = false, .whole = std::nullopt}, context(13));
  EXPECT_TRUE(bound.rate());
}

/// Several peers tell of what was sent before a change, while its answers are on their way.
TEST(BurstBound, rises_once_until_what_was_sent_since_is_heard_of) {
  BurstBound bound;
  Burst burst{.sent = 12'500,
              .to_all = 12'500,
              .arrived = 12'500,
              .sending = 1e-3,
              .arriving = 10e-3,
              .begun = start};
  BurstBound::Context context{.sending = megabits_per_second(100),
                              .datagram_bytes = 1250,
                              .is_short = true,
                              .loss = 0.1,
                              .now = start + 20ms,
                              .jump = 0};
  for (int i = 0; i < 12; ++i)
    bound.judge({.step = burst, .paused = false, .whole = std::nullopt}, context);
  ASSERT_TRUE(bound.rate());
  const double first = bound.rate()->value;
  burst.sending = burst.arriving;
  for (int i = 0; i < 7; ++i)
    bound.judge({.step = burst, .paused = false, .whole = burst}, context);
  EXPECT_NEAR(bound.rate()->value, 1.05 * first, 1);
  burst.begun = start + 21ms;
  bound.judge({.step = burst, .paused = false, .whole = burst}, context);
  EXPECT_NEAR(bound.rate()->value, 1.05 * 1.1 * first, 1);
}

TEST_F(BurstsOverLink, begin_none_where_delays_vary) {
  carried = megabits_per_second(1000);
  loss = 0.1;
  for (const bool keeps_order : {false, true}) {
    in_order = keeps_order;
    for (const Duration varies : {Duration{2ms}, Duration{5ms}, Duration{20ms}}) {
      jitter = varies;
      jump = seconds(varies) / 2;
      send(100, 12);
      EXPECT_FALSE(bound.rate()) << seconds(varies) << ' ' << keeps_order;
    }
  }
}

TEST_F(BurstsOverLink, find_a_link_that_becomes_faster_and_end_the_bound) {
  send(10, 12);
  carried = megabits_per_second(30);
  send(20, 12);
  EXPECT_GT(megabits(), 24);
  carried = megabits_per_second(200);
  send(20, 12);
  EXPECT_FALSE(bound.rate());
}

/// Between supersteps on short paths hardly any time passes: a queue that stood stayed for ever.
TEST_F(BurstsOverLink, let_a_queue_run_empty_that_no_pause_empties) {
  goes_on = true;
  apart = 0ms;
  longest_queue = 100ms;
  bound.begin(carried);
  EXPECT_NEAR(megabits(), 9, 0.1) << "a little less than is carried, as something is on its way";
  fill_queue(80ms);
  send(8, 12);
  EXPECT_GT(megabits(), 4) << "no less than half";
  send(12, 12);
  EXPECT_LT(queue(), 10ms);
  send(20, 12);
  EXPECT_GT(megabits(), 9);
}

TEST_F(BurstsOverLink, keep_their_bound_while_a_queue_bounds_the_rate_for_a_while) {
  send(3, 12);
  queued = true;
  sending = megabits_per_second(5);
  send(10, 12);
  EXPECT_GT(megabits(), 9) << "it ended";
  queued = false;
  carried = megabits_per_second(30);
  send(3, 12);
  EXPECT_EQ(megabits(), 0) << "the rate itself is lower";
}

/// Of hosts of which some are behind the link, and some before it.
TEST_F(BurstsOverLink, are_not_allowed_more_by_what_never_goes_through_the_link) {
  goes_on = true;
  bound.begin(megabits_per_second(12));
  fill_queue(7ms);
  send(1, 12);
  send(1, 2);
  const double before = megabits();
  EXPECT_GT(before, 5);
  send_elsewhere(30);
  EXPECT_EQ(megabits(), before);
  send_elsewhere(20);
  EXPECT_EQ(megabits(), 0) << "nothing goes through the link any more";
}

TEST_F(BurstsOverLink, find_a_link_that_becomes_slower) {
  send(10, 12);
  carried = megabits_per_second(3);
  send(10, 12);
  EXPECT_LT(megabits(), 4.5);
  EXPECT_GT(megabits(), 2);
}

TEST_F(BurstsOverLink, keep_their_bound_where_the_path_loses_by_itself) {
  loss = 0.15;
  send(100, 12);
  EXPECT_GT(megabits(), 8.5);
  EXPECT_LT(megabits(), 15);
}

TEST_F(BurstsOverLink, keep_their_bound_where_delays_vary_later) {
  send(10, 12);
  jitter = 5ms;
  jump = 2.5e-3;
  loss = 0.1;
  send(100, 12);
  EXPECT_TRUE(!bound.rate() || megabits() > 8) << megabits();
}

}  // namespace
}  // namespace lbsp::transport
