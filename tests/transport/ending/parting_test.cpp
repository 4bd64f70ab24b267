#include <gtest/gtest.h>

#include "tests/transport/room_state.hpp"

/// One rank's farewell, with a peer that says only what a test lets it say.
namespace lbsp::transport {
namespace {

using namespace testing;
using Times = std::vector<Duration>;

const std::vector<Rank> to_rank_1{1};
constexpr PathForecast lossless{.loss = 0, .loss_after_loss = 0, .loss_sample = 1e9};
constexpr Duration probe_timeout = 65ms;  ///< of the path below: 40 ms + 4 variations + 5 ms

class PartingTest : public ::testing::Test {
 protected:
  PartingTest() {
    other_.path.prior = lossless;
    other_.path.times.assume(40ms, 5ms);
    other_.inbound.last_heard = start;
  }
  Instant next() const { return other_.timers.at(Timer::farewell); }
  /// What happens with time alone, until it is over or `end`: when FIN is said.
  Times said_until(Instant end) {
    Times times;
    while (!room_.farewell.done() && next() <= end) {
      const Instant now = next();
      const std::size_t before = room_.fins.size();
      room_.farewell.update(1, now);
      if (room_.fins.size() > before) times.push_back(now - start);
      over_at_ = now;
    }
    return times;
  }
  /// A message is on its way to the peer, and none is awaited.
  void begin_leg() {
    room_.begin_leg(100);
    other_.wait.awaited = false;
  }

  RoomState<ReceiverDriven> room_;
  Peer& other_ = room_.other;
  Farewell& farewell_ = room_.farewell;
  Instant over_at_ = never;
};

TEST_F(PartingTest, says_fin_to_whom_nothing_is_owed_and_nothing_to_others) {
  RoomState<ReceiverDriven> room{4};
  room.state.legs.begin({}, {2}, {3}, start);
  room.sending.add_messages(std::vector<Bytes>(4), start);
  room.farewell.begin(start);
  EXPECT_EQ(room.fins, to_rank_1) << "2 has not acknowledged its message, and 3's has not come";
  EXPECT_FALSE(room.farewell.done());
}

TEST_F(PartingTest, in_the_last_leg_says_fin_as_soon_as_the_peers_message_has_come) {
  room_.begin_leg(100);
  farewell_.begin_in_last_leg(start);
  EXPECT_TRUE(room_.fins.empty());
  other_.wait.awaited = false;
  farewell_.update(1, start);
  EXPECT_EQ(room_.fins, to_rank_1);
}

TEST_F(PartingTest, says_fin_as_soon_as_the_peers_data_or_report_says_that_it_has_all) {
  for (const bool data : {true, false}) {
    RoomState<ReceiverDriven> room;
    room.begin_leg(100);
    room.send();
    room.other.wait.awaited = false;
    room.farewell.begin(start);
    EXPECT_TRUE(room.fins.empty());
    if (data) {
      room.recovery->segment_arrived(room.other, segment_of({0, Leg::replies}, 100, 0), start);
    } else {
      StatusEntry complete;
      complete.complete = true;
      Bytes entry(status_entry_bytes);
      WireWriter out(entry);
      write(out, complete);
      WireReader in(entry);
      room.recovery->report_arrived(room.other, {}, in, start);
    }
    EXPECT_EQ(room.fins, to_rank_1);
  }
}

TEST_F(PartingTest, that_has_not_begun_says_nothing) {
  farewell_.update(1, start);
  farewell_.asked(1, start);
  EXPECT_TRUE(room_.fins.empty());
  EXPECT_FALSE(farewell_.done());
}

TEST_F(PartingTest, begins_once) {
  farewell_.begin_in_last_leg(start);
  other_.parting.finished = other_.parting.confirmed = true;
  farewell_.update(1, start);
  ASSERT_TRUE(farewell_.done());
  farewell_.begin(start);
  EXPECT_TRUE(farewell_.done());
}

TEST_F(PartingTest, is_over_when_both_have_said_fin_and_the_peer_has_heard_it) {
  farewell_.begin(start);
  EXPECT_FALSE(farewell_.done());
  farewell_.heard(1, true, start + 5ms);
  EXPECT_TRUE(farewell_.done());
  EXPECT_TRUE(other_.parting.over);
  EXPECT_EQ(next(), never);
  EXPECT_EQ(room_.fins.size(), 1u) << "whoever has heard it needs no other";
}

TEST_F(PartingTest, that_was_confirmed_once_stays_so) {
  room_.begin_leg(100);
  farewell_.begin_in_last_leg(start);
  farewell_.heard(1, true, start);
  farewell_.heard(1, false, start);
  other_.wait.awaited = false;
  farewell_.update(1, start);
  EXPECT_TRUE(farewell_.done());
}

TEST_F(PartingTest, is_over_without_an_answer_when_the_peer_was_told_often_enough) {
  other_.parting.finished = true;
  farewell_.begin(start);
  EXPECT_FALSE(farewell_.done());
  EXPECT_EQ(said_until(start + 1s), Times{10ms}) << "twice, within a quarter of a round trip";
  EXPECT_TRUE(farewell_.done());
}

/// How often a peer that has said FIN is told this rank's, and for how long.
std::pair<std::size_t, Duration> farewells(const PathForecast& path, const LossReport& report = {},
                                           std::uint64_t sample = 0) {
  RoomState<ReceiverDriven> room;
  room.other.path.prior = path;
  room.other.path.loss = report;
  room.other.echoed.packets = sample;
  room.other.path.times.assume(40ms, 5ms);
  room.other.parting.finished = true;
  room.farewell.begin(start);
  Instant now = start;
  while (!room.farewell.done() && room.fins.size() < 100)
    room.farewell.update(1, now = room.other.timers.at(Timer::farewell));
  return {room.fins.size(), now - start};
}

/// n with loss * loss_after_loss^(n - 1) <= 1e-5, where loss is two standard errors above what was seen.
TEST(Parting, fin_is_said_so_often_that_the_peer_misses_all_of_them_once_in_a_hundred_thousand) {
  const auto count = [](const PathForecast& path) { return farewells(path).first; };
  EXPECT_EQ(count({.loss = 0, .loss_after_loss = 0, .loss_sample = 1e9}), 2u);
  EXPECT_EQ(count({.loss = 0.2, .loss_after_loss = 0.3, .loss_sample = 1e9}), 10u);
  EXPECT_EQ(count({.loss = 0.1, .loss_after_loss = 0.1, .loss_sample = 36}), 8u) << "perhaps 20 % are lost";
  EXPECT_EQ(count({.loss = 0.2, .loss_after_loss = 0.2, .loss_sample = 125}), 9u) << "perhaps 27 %";
  EXPECT_EQ(count({.loss = 0.01, .loss_after_loss = 0.01, .loss_sample = 1}), 8u) << "perhaps 21 %";
  EXPECT_EQ(count({.loss = 0.5, .loss_after_loss = 0.9, .loss_sample = 1e9}), 32u) << "but no more often";
}

TEST(Parting, what_the_peer_has_seen_of_the_path_counts_beside_what_was_known_before) {
  const PathForecast before{.loss = 0.1, .loss_after_loss = 0.1, .loss_sample = 20};
  constexpr std::uint16_t tenth = 6554;  // of 65535
  EXPECT_EQ(farewells(before, {tenth, tenth}, 16).first, 8u);
}

TEST(Parting, all_fins_that_are_needed_go_out_in_a_quarter_of_a_round_trip) {
  const auto [count, time] = farewells({.loss = 0.2, .loss_after_loss = 0.3, .loss_sample = 1e9});
  EXPECT_EQ(count, 10u);
  EXPECT_NEAR(static_cast<double>(time.count()), 10e6, 100);
}

TEST_F(PartingTest, fins_are_a_millisecond_apart_on_the_shortest_paths) {
  other_.path.times.assume(100us, 10us);
  other_.parting.finished = true;
  farewell_.begin(start);
  EXPECT_EQ(said_until(start + 1s), Times{1ms});
}

TEST_F(PartingTest, fin_that_is_not_answered_is_said_ever_more_seldom_until_once_a_second) {
  begin_leg();
  farewell_.begin_in_last_leg(start);
  const Times times = said_until(start + 5s);
  ASSERT_GE(times.size(), 9u);
  EXPECT_EQ(times[0], 10ms);
  Duration interval = probe_timeout;
  for (std::size_t i = 1; i < times.size(); ++i) {
    EXPECT_EQ(times[i] - times[i - 1], std::min<Duration>(interval, 1s)) << i;
    interval += interval / 2;
  }
}

TEST_F(PartingTest, on_a_path_of_seconds_fin_is_said_once_in_a_probe_timeout) {
  other_.path.times.assume(2s, 500ms);
  begin_leg();
  farewell_.begin_in_last_leg(start);
  const Times times = said_until(start + 14s);
  ASSERT_EQ(times.size(), 4u);
  EXPECT_EQ(times[1] - times[0], 4005ms);
  EXPECT_EQ(times[3] - times[2], 4005ms);
}

TEST_F(PartingTest, a_peer_that_may_lack_a_message_is_waited_for_as_long_as_for_a_silent_one) {
  begin_leg();
  other_.inbound.last_heard = start - 5s;
  farewell_.begin(start);
  EXPECT_EQ(said_until(start + patience), Times{});
  EXPECT_TRUE(farewell_.done());
  EXPECT_EQ(over_at_, start - 5s + patience);
}

TEST_F(PartingTest, in_the_last_leg_too) {
  begin_leg();
  farewell_.begin_in_last_leg(start);
  said_until(start + patience);
  EXPECT_TRUE(farewell_.done());
  EXPECT_EQ(over_at_, start + patience);
}

TEST_F(PartingTest, a_peer_that_needs_nothing_has_a_second_to_answer) {
  other_.inbound.last_heard = start - 5s;
  farewell_.begin(start);
  said_until(start + 10s);
  EXPECT_TRUE(farewell_.done());
  EXPECT_EQ(over_at_, start + 1s);
}

TEST_F(PartingTest, that_second_begins_anew_with_what_it_says) {
  farewell_.begin(start);
  said_until(start + 500ms);
  other_.inbound.last_heard = start + 500ms;
  said_until(start + 10s);
  EXPECT_EQ(over_at_, start + 1500ms);
}

TEST_F(PartingTest, on_a_long_path_it_has_five_probe_timeouts_but_no_longer_than_a_silent_peer) {
  other_.path.times.assume(300ms, 50ms);
  farewell_.begin(start);
  said_until(start + 60s);
  EXPECT_EQ(over_at_, start + 5 * 505ms);

  RoomState<ReceiverDriven> longest;
  longest.other.path.times.assume(4s, 500ms);
  longest.farewell.begin(start);
  longest.farewell.update(1, start + patience - 1ns);
  EXPECT_FALSE(longest.farewell.done());
  longest.farewell.update(1, start + patience);
  EXPECT_TRUE(longest.farewell.done());
}

TEST_F(PartingTest, a_peer_that_says_fin_is_answered_also_in_the_middle_of_the_program) {
  farewell_.heard(1, false, start);
  EXPECT_EQ(room_.fins, to_rank_1);
  EXPECT_FALSE(farewell_.done());
}

TEST_F(PartingTest, a_peer_that_has_not_heard_fin_is_told_again_a_quarter_of_a_round_trip_later) {
  farewell_.heard(1, false, start);
  farewell_.heard(1, false, start + 10ms - 1ns);
  EXPECT_EQ(room_.fins.size(), 1u);
  farewell_.heard(1, false, start + 10ms);
  EXPECT_EQ(room_.fins.size(), 2u);
}

TEST_F(PartingTest, in_the_last_leg_fin_is_not_said_before_the_message_of_the_peer_has_come) {
  room_.begin_leg(100);
  farewell_.begin_in_last_leg(start);
  farewell_.heard(1, false, start);
  EXPECT_TRUE(room_.fins.empty());
}

TEST_F(PartingTest, a_peer_that_still_asks_has_not_heard_fin) {
  farewell_.begin(start);
  farewell_.asked(1, start + 10ms - 1ns);
  EXPECT_EQ(room_.fins.size(), 1u);
  farewell_.asked(1, start + 10ms);
  EXPECT_EQ(room_.fins.size(), 2u);
}

}  // namespace
}  // namespace lbsp::transport
