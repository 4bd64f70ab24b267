#include "transport/sending/in_flight.hpp"

#include <gtest/gtest.h>

#include "tests/transport/room_state.hpp"

/// What echoes and reports say of what is on its way, and how much may be.
namespace lbsp::transport {
namespace {

using namespace testing;

class InFlightTest : public ::testing::Test {
 protected:
  static EndpointConfig small_buffers() {
    EndpointConfig config = config_of(2);
    config.buffer_datagrams = 100;
    return config;
  }
  /// Datagrams have gone out, `bytes` each.
  void send(std::uint64_t count, Instant now = start, std::size_t bytes = 1400) {
    for (std::uint64_t i = 0; i < count; ++i)
      room_.other.path.times.sent(room_.other.outbound.next_packet++, now, 1, bytes);
  }
  /// The number as the wire has it.
  void echo(std::uint64_t packets, Instant now = start) {
    Echo told;
    told.packets = static_cast<std::uint32_t>(packets);
    room_.in_flight.echoed(room_.other, told, now);
  }

  RoomState<ReceiverDriven> room_{small_buffers()};
  Peer& other_ = room_.other;
};

TEST_F(InFlightTest, an_echo_tells_what_has_arrived_and_the_round_trip) {
  send(3);
  echo(2, start + 40ms);
  EXPECT_EQ(other_.echoed.packets, 2u);
  EXPECT_EQ(other_.echoed.at, start + 40ms);
  EXPECT_EQ(other_.path.times.round_trip(), 40ms);
  EXPECT_EQ(other_.echoed.largest, 1400u);
  ASSERT_TRUE(other_.echoed.newest);
  EXPECT_EQ(other_.echoed.newest->packet_number, 1u);
}

TEST_F(InFlightTest, an_echo_that_says_nothing_new_changes_nothing) {
  send(3);
  echo(2, start + 40ms);
  for (const std::uint64_t packets : {2u, 1u, 0u})
    echo(packets, start + 50ms);
  EXPECT_EQ(other_.echoed.packets, 2u);
  EXPECT_EQ(other_.echoed.at, start + 40ms);
}

TEST_F(InFlightTest, an_echo_that_says_nothing_new_gets_whole_numbers_too) {
  send(3);
  echo(2, start + 40ms);
  other_.echoed.last.arrival_microseconds = (1u << 25) + 7;
  other_.echoed.last.arrived = (1u << 17) + 2;
  Echo told;
  told.packets = 2;
  told.arrived = 3;
  told.arrival_microseconds = 1007;
  room_.in_flight.echoed(other_, told, start + 41ms);
  EXPECT_EQ(told.arrived, (1u << 17) + 3);
  EXPECT_EQ(told.arrival_microseconds, (1u << 25) + 1007);
}

TEST_F(InFlightTest, an_echo_of_what_was_never_sent_is_a_lie) {
  send(3);
  echo(4);
  EXPECT_EQ(other_.echoed.packets, 0u);
}

TEST_F(InFlightTest, packet_numbers_go_on_beyond_what_the_wire_has) {
  const std::uint64_t far = (std::uint64_t{1} << 32) - 2;
  other_.outbound.next_packet = other_.echoed.packets = far;
  send(10);
  echo(far + 1);
  EXPECT_EQ(other_.echoed.packets, far + 1);
  echo(far + 7);
  EXPECT_EQ(other_.echoed.packets, far + 7);
  echo(far + 2);
  EXPECT_EQ(other_.echoed.packets, far + 7);
}

TEST_F(InFlightTest, is_full_with_the_room_that_the_peer_is_taken_to_have_on_an_unknown_path) {
  send(69);
  EXPECT_FALSE(room_.in_flight.full(other_));
  send(1);
  EXPECT_TRUE(room_.in_flight.full(other_));
}

TEST_F(InFlightTest, what_a_path_holds_counts_as_soon_as_anything_is_known_of_it) {
  send(70);
  other_.path.times.assume(40ms, 2ms);
  EXPECT_FALSE(room_.in_flight.full(other_)) << "as another measurement says";
  other_.path.times = {};
  ASSERT_TRUE(room_.in_flight.full(other_));
  other_.path.times.sent(0, start);
  other_.path.times.echoed({1, 0}, start + 40ms);
  EXPECT_FALSE(room_.in_flight.full(other_)) << "as the first sample says";
}

TEST(InFlight, within_a_host_the_rate_is_what_the_host_carries_or_what_is_told_if_that_is_more) {
  EndpointConfig config = config_of(2);
  config.options.rate = megabits_per_second(10);
  const BytesPerSecond of_host = near_rate(config);
  EXPECT_GT(of_host, config.options.rate);
  config.options.rate = BytesPerSecond{2 * of_host.value};
  EXPECT_EQ(near_rate(config), config.options.rate);
}

TEST_F(InFlightTest, is_full_while_a_length_is_on_trial) {
  other_.path.sizes.begin_trial(1400);
  EXPECT_TRUE(room_.in_flight.full(other_));
  other_.path.sizes.end_trial();
  EXPECT_FALSE(room_.in_flight.full(other_));
}

TEST(InFlight, a_path_carries_as_many_datagrams_whatever_longer_ones_were_allowed) {
  const auto most_in_flight = [](std::size_t allowed) {
    EndpointConfig config = config_of(2);
    config.options.datagram_bytes = allowed;
    RoomState<ReceiverDriven> room{config};
    room.other.path.sizes.limit(1400);
    room.other.path.times.sent(room.other.outbound.next_packet++, start, 1, 1400);
    Echo told;
    told.packets = 1;
    room.in_flight.echoed(room.other, told, start + 40ms);
    int count = 0;
    for (; count < 100'000 && !room.in_flight.full(room.other); ++count)
      room.other.path.times.sent(room.other.outbound.next_packet++, start + 40ms, 1, 1400);
    return count;
  };
  EXPECT_EQ(most_in_flight(65'507), most_in_flight(1400));
  EXPECT_LT(most_in_flight(1400), 100'000);
}

TEST_F(InFlightTest, the_papers_rounds_are_never_held_back) {
  RoomState<PaperRounds> rounds;
  rounds.other.outbound.next_packet = 1'000'000;
  EXPECT_FALSE(rounds.in_flight.full(rounds.other));
}

TEST_F(InFlightTest, what_has_arrived_tells_that_the_path_carries_its_length) {
  other_.path.sizes = PathSizes(1200, 9000);
  other_.path.sizes.search(start, 100ms, 9000);
  other_.path.sizes.answered(548);
  ASSERT_TRUE(other_.path.sizes.base_doubtful());
  other_.path.narrow.sent(0, 1200);
  send(1, start, 1200);
  echo(1, start + 40ms);
  EXPECT_FALSE(other_.path.sizes.base_doubtful());
  EXPECT_EQ(other_.path.narrow.long_bytes(), 0u);
}

TEST_F(InFlightTest, what_was_held_back_stays_so_while_an_echo_makes_too_little_room) {
  send(75);
  other_.outbound.held_back.push_back({1, {0, Leg::messages}, 0, 5});
  echo(1);
  EXPECT_FALSE(other_.outbound.held_back.empty()) << "there are still too many on their way";
}

TEST_F(InFlightTest, what_was_held_back_goes_as_soon_as_an_echo_makes_room) {
  send(70);
  other_.outbound.held_back.push_back({1, {0, Leg::messages}, 0, 5});
  echo(1);
  EXPECT_TRUE(other_.outbound.held_back.empty());
  room_.state.queue.release(start);
  EXPECT_TRUE(room_.state.queue.passes.ready());
}

TEST_F(InFlightTest, what_was_held_back_goes_when_the_peer_has_more_room_than_it_was_taken_to_have) {
  send(70);
  other_.outbound.held_back.push_back({1, {0, Leg::messages}, 0, 5});
  StatusHeader status;
  status.room = 70;
  room_.in_flight.told(other_, status, start);
  EXPECT_FALSE(other_.outbound.held_back.empty());
  status.room = 71;
  room_.in_flight.told(other_, status, start);
  EXPECT_TRUE(other_.outbound.held_back.empty());
}

class ColdPathTest : public ::testing::Test {
 protected:
  static RoomState<ReceiverDriven> room_of(bool finds_rate) {
    EndpointConfig config = config_of(2);
    config.buffer_datagrams = 100;
    config.options.find_rate = finds_rate;
    return RoomState<ReceiverDriven>{config};
  }
  static int most_in_flight(RoomState<ReceiverDriven>& room) {
    std::uint64_t& next = room.other.outbound.next_packet;
    const std::uint64_t before = next;
    while (!room.in_flight.full(room.other))
      ++next;
    return static_cast<int>(next - before);
  }
};

TEST_F(ColdPathTest, who_is_heard_later_than_ranks_begin_tells_how_long_a_path_is) {
  for (const auto& [heard_after, more] : {std::pair{5ms, false}, {50ms, true}}) {
    auto room = room_of(false);
    room.other.path.times.sent(room.other.outbound.next_packet++, start, 1, 1400);
    EXPECT_EQ(most_in_flight(room), 69);
    room.in_flight.heard(room.other, start + heard_after);
    EXPECT_EQ(most_in_flight(room) > 1000, more) << heard_after.count();
  }
}

TEST_F(ColdPathTest, who_is_heard_before_anything_was_sent_tells_nothing) {
  auto room = room_of(false);
  room.in_flight.heard(room.other, start);
  room.other.path.times.sent(room.other.outbound.next_packet++, start, 1, 1400);
  room.in_flight.heard(room.other, start + 50ms);
  EXPECT_EQ(most_in_flight(room), 69);
}

TEST_F(ColdPathTest, a_rate_that_is_looked_for_waits_for_answers) {
  auto room = room_of(true);
  room.other.path.times.sent(room.other.outbound.next_packet++, start, 1, 1400);
  room.in_flight.heard(room.other, start + 50ms);
  EXPECT_EQ(most_in_flight(room), 69);
}

TEST_F(ColdPathTest, what_was_held_back_goes_when_the_peer_is_heard) {
  auto room = room_of(false);
  room.other.path.times.sent(room.other.outbound.next_packet++, start, 1, 1400);
  most_in_flight(room);
  room.other.outbound.held_back.push_back({1, {0, Leg::messages}, 0, 5});
  room.in_flight.heard(room.other, start + 50ms);
  EXPECT_TRUE(room.other.outbound.held_back.empty());
}

TEST_F(InFlightTest, a_grant_paces_its_path_until_there_is_none) {
  StatusHeader report;
  report.granted = BytesPerSecond{1e6};
  room_.in_flight.granted(other_, report, start);
  ASSERT_TRUE(other_.path.rate.rate());
  EXPECT_EQ(other_.path.rate.rate()->value, 1e6);
  report.granted.reset();
  room_.in_flight.granted(other_, report, start);
  EXPECT_FALSE(other_.path.rate.rate());
}

TEST_F(InFlightTest, a_grant_is_forgotten_after_ten_seconds_of_silence) {
  StatusHeader report;
  report.granted = BytesPerSecond{1e6};
  room_.in_flight.granted(other_, report, start);
  room_.in_flight.granted(other_, report, start + 9s);
  other_.path.rate.sent(1400, {1e9}, start + 18s);
  EXPECT_TRUE(other_.path.rate.rate());
  other_.path.rate.sent(1400, {1e9}, start + 20s);
  EXPECT_FALSE(other_.path.rate.rate());
}

TEST_F(InFlightTest, however_little_a_peer_grants_a_datagram_goes_in_a_second) {
  StatusHeader report;
  report.granted = BytesPerSecond{64};
  room_.in_flight.granted(other_, report, start);
  EXPECT_NEAR(other_.path.rate.rate()->value, static_cast<double>(other_.path.sizes.in_use()), 1);
}

}  // namespace
}  // namespace lbsp::transport
