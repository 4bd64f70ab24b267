#include <gtest/gtest.h>

#include "tests/transport/room_state.hpp"
#include "transport/core/endpoint.hpp"

/// What each call of a driver does by itself, whichever comes first.
namespace lbsp::transport {
namespace {

using namespace testing;

constexpr Duration one_way = 10ms;
constexpr Duration slept = 20s;  ///< longer than the silent-peer limit

/// Two endpoints, and a driver that a test is.
class DrivenEndpointTest : public ::testing::Test {
 protected:
  static EndpointConfig rank(Rank rank, Recovery recovery = Recovery::receiver) {
    EndpointConfig config = config_of(2, recovery);
    config.rank = rank;
    return config;
  }
  static std::vector<Bytes> sent_by(Endpoint& endpoint, Instant now) {
    std::vector<Bytes> datagrams;
    Bytes buffer(1500);
    while (const auto written = endpoint.poll_transmit(buffer, now))
      datagrams.emplace_back(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(written->bytes));
    return datagrams;
  }
  static void deliver(std::vector<Bytes> datagrams, Endpoint& to, Instant now) {
    for (Bytes& datagram : datagrams)
      to.handle_datagram(datagram, now);
  }
  /// One superstep without payload.
  void superstep() {
    for (Endpoint* each : {&own_, &other_})
      each->begin_exchange(std::vector<Bytes>(2), now_);
    auto there = sent_by(own_, now_);
    auto back = sent_by(other_, now_);
    now_ += one_way;
    deliver(std::move(there), other_, now_);
    deliver(std::move(back), own_, now_);
    ASSERT_TRUE(own_.exchange_complete());
    own_.take_messages();
    other_.take_messages();
  }
  /// Nothing more is heard of the other: when the own endpoint has failed or finished, after `now_`.
  Duration ended_after(Duration limit) {
    const Instant begin = now_;
    while (!own_.failure() && !own_.finished() && own_.next_timeout() <= begin + limit) {
      now_ = std::max(now_, own_.next_timeout());
      own_.handle_timeout(now_);
      sent_by(own_, now_);
    }
    return own_.failure() || own_.finished() ? now_ - begin : Duration::max();
  }

  Instant now_ = start;
  Endpoint own_{rank(0), start};
  Endpoint other_{rank(1), start};
};

TEST_F(DrivenEndpointTest, before_its_first_leg_says_that_it_lives_and_gives_up_who_does_not) {
  EXPECT_LE(own_.next_timeout(), start + 1s);
  own_.handle_timeout(start + 1s);
  EXPECT_EQ(sent_by(own_, start + 1s).size(), 1u);
  now_ = start + 1s;
  EXPECT_EQ(ended_after(1min), 14s);
  EXPECT_TRUE(own_.failure());
}

TEST_F(DrivenEndpointTest, tells_what_it_has_to_send_apart_from_what_its_timers_wait_for) {
  superstep();
  sent_by(own_, now_);
  EXPECT_EQ(own_.next_transmit(), never);
  EXPECT_LT(own_.next_timeout(), never);
  std::vector<Bytes> more_than_a_burst(2);
  more_than_a_burst[1] = Bytes(4 << 20);
  own_.begin_exchange(std::move(more_than_a_burst), now_);
  sent_by(own_, now_);
  EXPECT_GT(own_.next_transmit(), now_);
  EXPECT_LT(own_.next_transmit(), now_ + 10ms);
}

TEST_F(DrivenEndpointTest, stopped_for_long_gives_nobody_up_when_a_timer_strikes_first) {
  superstep();
  now_ += slept;
  own_.handle_timeout(now_);
  EXPECT_FALSE(own_.failure());
}

TEST_F(DrivenEndpointTest, stopped_for_long_waits_no_longer_when_a_leg_begins_first) {
  superstep();
  now_ += slept;
  own_.begin_exchange(std::vector<Bytes>(2), now_);
  EXPECT_LE(ended_after(1min), patience);
}

/// Of a peer that answers, with rounds.
TEST_F(DrivenEndpointTest, stopped_for_long_waits_no_longer_for_an_acknowledgement) {
  Endpoint own(rank(0, Recovery::rounds), start);
  Endpoint other(rank(1, Recovery::rounds), start);
  now_ += slept;
  const Instant begin = now_;
  for (Endpoint* each : {&own, &other})
    each->begin_exchange(std::vector<Bytes>(2, Bytes(5000)), now_);
  for (; !own.failure() && now_ < begin + 1min; now_ += 100ms) {
    own.handle_timeout(now_);
    other.handle_timeout(now_);
    deliver(sent_by(own, now_), other, now_);
    for (Bytes& datagram : sent_by(other, now_))
      if (read_clear_header(datagram)->kind == DatagramKind::status) own.handle_datagram(datagram, now_);
  }
  ASSERT_TRUE(own.failure());
  EXPECT_LE(now_ - begin, patience + 2s) << own.failure()->message;
}

TEST_F(DrivenEndpointTest, stopped_for_long_waits_no_longer_when_a_datagram_comes_first) {
  superstep();
  other_.begin_exchange(std::vector<Bytes>(2), now_);
  auto late = sent_by(other_, now_);
  now_ += slept;
  deliver(std::move(late), own_, now_);
  EXPECT_EQ(ended_after(1min), patience);
}

TEST_F(DrivenEndpointTest, stopped_for_long_waits_no_longer_for_a_peer_that_has_left_when_it_finishes_first) {
  superstep();
  own_.begin_exchange(std::vector<Bytes>(2), now_);
  other_.begin_exchange(std::vector<Bytes>(2), now_);
  auto there = sent_by(own_, now_);
  deliver(sent_by(other_, now_), own_, now_);
  deliver(std::move(there), other_, now_);
  other_.begin_finish(now_);
  now_ += 30ms;
  other_.handle_timeout(now_);
  deliver(sent_by(other_, now_), own_, now_);
  now_ += slept;
  own_.begin_finish(now_);
  EXPECT_LE(ended_after(1min), 2s);
  EXPECT_TRUE(own_.finished());
}

TEST_F(DrivenEndpointTest, stopped_for_long_measures_what_it_sends_afterwards) {
  own_.begin_exchange(std::vector<Bytes>(2), now_);
  now_ += slept;
  auto there = sent_by(own_, now_);
  deliver(std::move(there), other_, now_ + one_way);
  other_.begin_exchange(std::vector<Bytes>(2), now_ + one_way);
  deliver(sent_by(other_, now_ + one_way), own_, now_ + 2 * one_way);
  EXPECT_EQ(own_.network().round_trip_time, 2 * one_way);
}

TEST_F(DrivenEndpointTest, that_finishes_says_at_once_what_has_arrived) {
  superstep();
  own_.begin_finish(now_);
  ASSERT_LE(own_.next_timeout(), now_);
  own_.handle_timeout(now_);
  EXPECT_EQ(sent_by(own_, now_).size(), 1u) << "the other may leave when it knows that its message has come";
}

TEST(DrivenEndpoint, wakes_up_for_a_peer_that_has_left_and_is_awaited_all_the_same) {
  for (const Recovery recovery : {Recovery::receiver, Recovery::rounds}) {
    const ::testing::ScopedTrace trace(__FILE__, __LINE__,
                                       recovery == Recovery::receiver ? "receiver" : "rounds");
    EndpointConfig config = config_of(2, recovery);
    Endpoint own(config, start);
    const Bytes fin = sealed(config, {DatagramKind::fin, 1, 0, config.key.tag(), 0},
                             [](WireWriter& out) { write(out, FinHeader{}); });
    Bytes datagram = fin;
    own.handle_datagram(datagram, start);
    Instant now = start;
    Bytes buffer(1500);
    while (own.next_timeout() != never) {
      now = own.next_timeout();
      own.handle_timeout(now);
      while (own.poll_transmit(buffer, now)) {
      }
    }
    own.begin_exchange(std::vector<Bytes>(2), now);
    while (!own.failure() && own.next_timeout() <= now + 2 * patience) {
      const Instant next = std::max(now, own.next_timeout());
      own.handle_timeout(next);
      while (own.poll_transmit(buffer, next)) {
      }
    }
    EXPECT_TRUE(own.failure());
  }
}

TEST(DrivenEndpoint, with_rounds_sends_a_message_as_it_was_cut_though_the_path_is_narrower) {
  for (const Recovery recovery : {Recovery::receiver, Recovery::rounds}) {
    Endpoint own(config_of(2, recovery), start);
    own.begin_exchange(std::vector<Bytes>(2, Bytes(3000)), start);
    Bytes buffer(1500);
    const auto first = own.poll_transmit(buffer, start);
    own.routes().lower(1, 1000, start);
    EXPECT_EQ(own.routes().datagram_bytes(1), 1000u);
    const auto second = own.poll_transmit(buffer, start);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(second->bytes == first->bytes, recovery == Recovery::rounds);
  }
}

TEST(DrivenEndpoint, tells_the_shortest_and_the_longest_of_the_datagrams_that_it_may_send) {
  for (const Rank narrow : {1, 2}) {
    Endpoint own(config_of(3), start);
    own.routes().limit(narrow, 1000);
    EXPECT_EQ(own.network().shortest_datagram, 1000u);
    EXPECT_EQ(own.network().longest_datagram, own.routes().datagram_bytes(3 - narrow));
  }
}

/// With copies, of which the second waits.
TEST(DrivenEndpoint, sends_within_its_host_what_was_to_go_later) {
  EndpointConfig config = config_of(2);
  config.hosts = {0, 0};
  config.options.copies = 2;
  Endpoint own(config, start);
  own.begin_exchange(std::vector<Bytes>(2), start);
  Bytes buffer(1500);
  EXPECT_TRUE(own.poll_transmit(buffer, start));
  EXPECT_FALSE(own.poll_transmit(buffer, start));
  const Instant later = own.next_timeout();
  EXPECT_LE(later, start + 10ms);
  EXPECT_TRUE(own.poll_transmit(buffer, later));
}

TEST(DrivenEndpoint, keeps_to_the_rate_within_its_host_and_wakes_up_for_it) {
  EndpointConfig config = config_of(2);
  config.hosts = {0, 0};
  Endpoint own(config, start);
  own.begin_exchange(std::vector<Bytes>(2, Bytes(300'000)), start);
  Bytes buffer(1500);
  Instant now = start;
  std::size_t bytes = 0;
  for (int wakes = 0; bytes < 200'000 && wakes < 1000; ++wakes) {
    while (const auto written = own.poll_transmit(buffer, now))
      bytes += written->bytes;
    ASSERT_GT(own.next_timeout(), now);
    now = own.next_timeout();
  }
  EXPECT_GE(bytes, 200'000u);
  EXPECT_GE(now - start, 500us) << "1 Gbit/s";
  EXPECT_LE(now - start, 3ms);
}

}  // namespace
}  // namespace lbsp::transport
