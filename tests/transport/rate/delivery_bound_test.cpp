#include "transport/rate/delivery_bound.hpp"

#include <gtest/gtest.h>

#include "tests/transport/start.hpp"

/// Links that carry much less than is sent.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t datagram = 1250;

/// A path with an empty delay of 20 ms, to which datagrams go at any rate.
struct Link {
  double carried = 12'500;  ///< bytes per second: a datagram takes 100 ms
  DeliveryBound::Path path{{1e6}, datagram};
  DeliveryBound bound;
  TrainMark mark = {};
  Instant now = start;
  Instant free_at = start;

  /// Each is echoed by itself. Those that find `most` waiting are lost.
  void send(int datagrams, Duration between, Duration most = 60s, std::size_t bytes = datagram) {
    for (int i = 0; i < datagrams; ++i, now += between) {
      ++mark.packets;
      mark.bytes += bytes;
      const Duration queue = std::max(free_at - now, Duration{0});
      if (queue > most) continue;
      free_at = std::max(free_at, now) + BytesPerSecond{carried}.time_for(static_cast<double>(bytes));
      ++mark.arrived;
      mark.sent_at = now;
      const Instant arrives = free_at + 20ms;
      mark.arrived_at = static_cast<std::uint32_t>(
          std::chrono::duration_cast<std::chrono::microseconds>(arrives.time_since_epoch()).count());
      bound.echoed(mark, queue, path);
    }
  }
  double bytes_per_second() const { return bound.rate().value_or(BytesPerSecond{0}).value; }
};

TEST(DeliveryBound, begins_when_a_queue_of_a_quarter_of_a_second_stands) {
  Link link;
  link.send(3, 1ms);
  EXPECT_FALSE(link.bound.rate());
  link.send(1, 1ms);
  EXPECT_NEAR(link.bytes_per_second(), 0.5 * link.carried, 0.1 * link.carried)
      << "half, while the queue stands";
}

TEST(DeliveryBound, does_not_begin_where_little_less_arrives_than_is_sent) {
  Link link;
  link.path.fair = {4 * 12'400.0};
  link.send(20, 1ms);
  EXPECT_FALSE(link.bound.rate());
  link.path.fair = {6 * 12'500.0};
  link.send(20, 1ms);
  EXPECT_TRUE(link.bound.rate());
}

TEST(DeliveryBound, does_not_take_the_time_between_messages_for_that_of_sending) {
  Link link;
  link.send(1, 9s);
  link.send(6, 1ms);
  EXPECT_GT(link.bytes_per_second(), 0.45 * link.carried);
}

TEST(DeliveryBound, short_datagrams_behind_those_of_others_are_no_sign) {
  Link link;
  link.send(1, 1ms);
  link.free_at += 1s;  // what goes to others
  link.send(9, 1ms, 60s, 100);
  EXPECT_FALSE(link.bound.rate());
}

TEST(DeliveryBound, allows_a_little_more_than_the_link_carries_when_the_queue_has_gone) {
  Link link;
  link.send(8, 1ms);
  link.send(20, 150ms);
  EXPECT_GT(link.bytes_per_second(), 0.9 * link.carried);
  EXPECT_LT(link.bytes_per_second(), 2.2 * link.carried);
}

TEST(DeliveryBound, counts_what_arrives_where_much_is_lost) {
  Link link;
  link.send(100, 20ms, 400ms);  // five times as much as the link carries
  EXPECT_NEAR(link.bytes_per_second(), 0.5 * link.carried, 0.15 * link.carried);
}

TEST(DeliveryBound, rises_with_a_link_that_becomes_faster) {
  Link link;
  link.send(8, 1ms);
  link.send(10, 150ms);
  link.carried = 125'000;
  for (int i = 0; i < 200; ++i)
    link.send(1, link.bound.rate()->time_for(datagram));
  EXPECT_GT(link.bytes_per_second(), 50'000);
}

TEST(DeliveryBound, ends_when_nothing_was_sent_for_ten_seconds) {
  Link link;
  link.send(8, 1ms);
  link.send(1, 11s);
  ASSERT_TRUE(link.bound.rate());
  link.send(1, 1ms);
  EXPECT_FALSE(link.bound.rate());
}

/// A rank that was stopped for 12 s had one datagram a second from then on: nobody heard that the bound was gone.
TEST(DeliveryBound, says_that_it_has_ended) {
  DeliveryBound bound;
  const DeliveryBound::Path path{{1e6}, datagram};
  TrainMark mark{.packets = 1, .arrived = 1, .sent_at = start, .bytes = datagram};
  EXPECT_FALSE(bound.echoed(mark, 0ms, path));
  ++mark.packets;
  ++mark.arrived;
  mark.bytes += datagram;
  mark.sent_at += 1ms;
  mark.arrived_at = 12'000'000;
  ASSERT_TRUE(bound.echoed(mark, 12s, path));
  ++mark.packets;
  ++mark.arrived;
  mark.sent_at += 12s;
  EXPECT_TRUE(bound.echoed(mark, 0ms, path));
  EXPECT_FALSE(bound.rate());
  mark.sent_at += 1ms;
  EXPECT_FALSE(bound.echoed(mark, 0ms, path));
}

/// What echoes say, number by number.
struct Told {
  explicit Told(double carried = 10'000) {
    EXPECT_FALSE(tell(1, 0ms));
    const double bytes = carried >= 10'000 ? 4 * datagram : datagram;
    begun = tell(bytes, std::chrono::duration_cast<Duration>(std::chrono::duration<double>(bytes / carried)),
                 20s);
  }
  /// So many bytes arrived in so long a time, and the newest of them met such a queue.
  bool tell(double bytes, Duration arriving, Duration queue = 0ms) {
    ++mark.packets;
    ++mark.arrived;
    mark.bytes += static_cast<std::uint64_t>(bytes);
    mark.sent_at += 1ms;
    mark.arrived_at +=
        static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::microseconds>(arriving).count());
    return bound.echoed(mark, queue, {{1e6}, datagram, round_trip});
  }
  double rate() const { return bound.rate().value().value; }

  DeliveryBound bound;
  TrainMark mark{.sent_at = start};
  Duration round_trip{0};
  bool begun = false;
};

TEST(DeliveryBound, is_half_of_what_is_carried_while_the_queue_is_long) {
  Told told;
  EXPECT_TRUE(told.begun);
  EXPECT_NEAR(told.rate(), 5000, 1e-6);
}

TEST(DeliveryBound, needs_a_queue_longer_than_a_quarter_of_a_second) {
  for (const Duration queue : {250ms, 251ms}) {
    DeliveryBound bound;
    TrainMark mark{.sent_at = start};
    bound.echoed(mark, 0ms, {{1e6}, datagram});
    mark = {.packets = 4, .arrived = 4, .sent_at = start + 1ms, .arrived_at = 500'000, .bytes = 4 * datagram};
    EXPECT_EQ(bound.echoed(mark, queue, {{1e6}, datagram}), queue > 250ms);
  }
}

TEST(DeliveryBound, while_the_queue_stands_goes_half_the_way_to_what_four_datagrams_say) {
  Told told;
  EXPECT_TRUE(told.tell(4 * datagram - 1, 1s, 300ms));
  EXPECT_NEAR(told.rate(), 5000, 1e-6) << "less than four";
  Told measured;
  EXPECT_TRUE(measured.tell(4 * datagram, 1s, 300ms));
  EXPECT_NEAR(measured.rate(), 0.5 * (10'000 + 5000) / 2, 1e-6);
}

TEST(DeliveryBound, when_the_queue_has_gone_each_datagram_allows_more_up_to_twice_what_is_carried) {
  Told told;
  EXPECT_TRUE(told.tell(datagram - 1, 1s, 250ms));
  EXPECT_NEAR(told.rate(), 1.1 * 10'000, 1e-6) << "less than one";
  told.tell(1, 0ms, 250ms);
  EXPECT_NEAR(told.rate(), 1.13 * 10'000, 1e-6);
  for (int i = 0; i < 40; ++i)
    told.tell(datagram, 1s);
  EXPECT_NEAR(told.rate(), 2 * 10'000, 1e-6);
}

TEST(DeliveryBound, at_most_doubles_with_a_datagram_that_came_much_faster) {
  Told told;
  told.tell(datagram, 10ms);
  EXPECT_NEAR(told.rate(), 1.13 * 20'000, 1e-6);
}

/// Where delays vary, several come at once after a late one: the bound rose to 2 Gbit/s on a link of 512 kbit/s.
TEST(DeliveryBound, on_a_long_path_what_comes_in_half_a_round_trip_allows_more) {
  Told told;
  told.round_trip = 1200ms;
  for (int i = 0; i < 3; ++i) {
    told.tell(datagram, 2ms);
    told.tell(datagram, 197ms);
  }
  EXPECT_NEAR(told.rate(), 1.1 * 10'000, 1e-6);
  told.tell(datagram, 3ms);
  EXPECT_NEAR(told.rate(), 1.13 * 7 * datagram / 0.6, 1e-6);
}

TEST(DeliveryBound, keeps_one_and_a_half_datagrams_waiting_on_the_slowest_links) {
  for (const Duration queue : {280ms, 400ms}) {
    Told told(6250);
    told.tell(1, 1ms, queue);
    EXPECT_NEAR(told.rate(), (queue > 300ms ? 0.5 : 1.1) * 6250, 1e-6);
  }
}

TEST(DeliveryBound, lets_a_datagram_a_second_go_at_least) {
  EXPECT_EQ(Told(100).rate(), datagram);
}

}  // namespace
}  // namespace lbsp::transport
