#include "transport/ending/liveness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/transport/room_state.hpp"
#include "transport/ending/failure.hpp"

/// The limits of every wait, and what the two recoveries say of them, without a network.
namespace lbsp::transport {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using namespace testing;

template <class Resident>
struct Rooms : RoomState<Resident> {
  using RoomState<Resident>::RoomState;

  Liveness liveness{this->state, this->farewell, *this->recovery, start};

  /// A leg that sends a message to rank 1 and awaits one from it.
  void begin_leg() { RoomState<Resident>::begin_leg(3000); }
  void told(MessageId position, bool begun, bool moving, Instant now) {
    StatusHeader status;
    status.position = position;
    status.begun = begun;
    status.moving = moving;
    liveness.take_statement(this->other, status, now);
  }
  Instant limit(Timer timer) {
    liveness.set_limits(this->other);
    return this->other.timers.at(timer);
  }
};

TEST(Liveness, a_peer_may_be_silent_for_the_limit_after_it_was_heard_last) {
  Rooms<ReceiverDriven> rooms;
  EXPECT_EQ(rooms.limit(Timer::silence), start + patience);
  rooms.other.inbound.last_heard = start + 4s;
  EXPECT_EQ(rooms.limit(Timer::silence), start + 4s + patience);
  EXPECT_EQ(rooms.limit(Timer::progress), never);
}

TEST(Liveness, nothing_is_expected_of_a_peer_that_has_left) {
  Rooms<ReceiverDriven> rooms;
  rooms.other.parting.finished = true;
  EXPECT_EQ(rooms.limit(Timer::silence), never);
}

TEST(Liveness, an_awaited_message_must_get_on) {
  Rooms<ReceiverDriven> rooms;
  rooms.begin_leg();
  EXPECT_EQ(rooms.limit(Timer::progress), start + patience);
  rooms.told({0, Leg::messages}, false, false, start + 2s);
  EXPECT_EQ(rooms.limit(Timer::progress), start + 2s + patience) << "it has not begun";
  rooms.told({0, Leg::messages}, true, false, start + 3s);
  EXPECT_EQ(rooms.limit(Timer::progress), start + 2s + patience) << "it has begun and does not get on";
  rooms.told({0, Leg::messages}, true, true, start + 4s);
  EXPECT_EQ(rooms.limit(Timer::progress), start + 4s + patience) << "it gets on with others";
}

TEST(Liveness, a_rank_gets_on_if_something_has_moved_since_its_last_report) {
  Rooms<ReceiverDriven> rooms;
  rooms.state.note_moved(start);
  rooms.other.report.last = start + 1ms;
  EXPECT_FALSE(rooms.recovery->moving(rooms.other));
  rooms.state.note_moved(start + 1ms);
  EXPECT_TRUE(rooms.recovery->moving(rooms.other));
}

TEST(Liveness, in_rounds_a_peer_beyond_the_leg_sends_no_more_of_it) {
  Rooms<PaperRounds> rooms;
  rooms.begin_leg();
  rooms.told({0, Leg::replies}, false, true, start + 4s);
  EXPECT_EQ(rooms.limit(Timer::progress), start + patience);
}

TEST(Liveness, says_who_is_silent_and_what_of_its_message_came) {
  Rooms<ReceiverDriven> rooms;
  rooms.begin_leg();
  rooms.other.inbound.numbers.enter(0);
  const AbortNotice notice = rooms.liveness.verdict(rooms.other, start + patience);
  EXPECT_EQ(notice.reason, AbortReason::peer_lost);
  EXPECT_EQ(notice.subject, 1);
  EXPECT_EQ(notice.silent_milliseconds, 15'000u);
  EXPECT_THAT(notice.text, HasSubstr("of its message to rank 0 nothing came"));
}

/// Its message got on before it was heard last, so the limit for that is the first to pass.
TEST(Liveness, who_was_not_heard_for_most_of_the_limit_does_not_answer) {
  Rooms<ReceiverDriven> rooms;
  rooms.begin_leg();
  rooms.other.inbound.numbers.enter(0);
  rooms.other.inbound.last_heard = start + 10ms;
  EXPECT_EQ(rooms.liveness.verdict(rooms.other, start + patience).reason, AbortReason::peer_lost);
  rooms.other.inbound.last_heard = start + patience / 2;
  EXPECT_EQ(rooms.liveness.verdict(rooms.other, start + patience).reason, AbortReason::no_progress);
}

TEST(Liveness, a_peer_of_which_nothing_ever_came_was_never_heard) {
  EndpointConfig config = config_of(2);
  config.places = {"on a at 10.0.0.1:4000", "on b at 10.0.0.2:4001"};
  Rooms<ReceiverDriven> rooms(config);
  rooms.begin_leg();
  const AbortNotice notice = rooms.liveness.verdict(rooms.other, start + patience);
  EXPECT_EQ(notice.reason, AbortReason::never_heard);
  EXPECT_EQ(notice.subject, 1);
  const Failure failure = failure_from(notice, config.places);
  EXPECT_EQ(failure.kind, Failure::Kind::peer_lost);
  EXPECT_THAT(failure.message, HasSubstr("rank 1 on b at 10.0.0.2:4001 was never heard by rank 0 on a at "
                                         "10.0.0.1:4000 in 15.0 s: a firewall may block the UDP port"));
  AbortNotice here = notice;
  here.text = "rank 0 on localhost at 127.0.0.1:4000";
  EXPECT_THAT(failure_from(here, {"", "on localhost at 127.0.0.1:4001"}).message,
              HasSubstr("in 15.0 s, though both are on one host: start fewer ranks there"));
}

TEST(Liveness, who_hears_none_of_several_accuses_none_of_them_but_itself) {
  for (const bool ever : {true, false}) {
    Rooms<ReceiverDriven> rooms(config_of(4));
    rooms.begin_leg();
    for (const Rank rank : {1, 2, 3}) {
      Peer& other = rooms.state.peers[rank];
      other.inbound.last_heard = start + rank * 1s;
      if (ever) other.inbound.numbers.enter(0);
    }
    const AbortNotice notice = rooms.liveness.verdict(rooms.other, start + 1s + patience);
    EXPECT_EQ(notice.reason, AbortReason::cut_off);
    EXPECT_EQ(notice.subject, 0);
    const std::string message = failure_from(notice, {}).message;
    EXPECT_THAT(message,
                HasSubstr(ever ? "rank 0 has heard none of the other 3 ranks for 13.0 s: its own network"
                               : "rank 0 has never heard any of the other 3 ranks, in 13.0 s: a firewall"));
  }
}

/// What went through memory is not heard here: a rank that was stopped was said to be behind a firewall.
TEST(Liveness, a_peer_of_the_same_host_is_not_said_to_be_behind_a_firewall) {
  EndpointConfig config = config_of(2);
  config.hosts = {0, 0};
  Rooms<ReceiverDriven> rooms(config);
  rooms.begin_leg();
  const AbortNotice notice = rooms.liveness.verdict(rooms.other, start + patience);
  EXPECT_EQ(notice.reason, AbortReason::peer_lost);
  EXPECT_THAT(failure_from(notice, {}).message, HasSubstr("rank 1 was last heard"));
}

TEST(Liveness, is_cut_off_who_has_heard_neither_of_two_for_three_quarters_of_the_limit) {
  Rooms<ReceiverDriven> rooms(config_of(3));
  const Instant now = start + 1min;
  for (const Rank rank : {1, 2})
    rooms.state.peers[rank].inbound.last_heard = now - patience;
  Peer& second = rooms.state.peers[2];
  second.inbound.last_heard = now - patience * 3 / 4;
  EXPECT_EQ(rooms.liveness.verdict(rooms.other, now).reason, AbortReason::cut_off);
  second.inbound.last_heard += 1ns;
  EXPECT_EQ(rooms.liveness.verdict(rooms.other, now).reason, AbortReason::never_heard);
}

TEST(Liveness, one_that_is_heard_shows_that_this_rank_is_not_cut_off) {
  Rooms<ReceiverDriven> rooms(config_of(4));
  rooms.begin_leg();
  rooms.other.inbound.numbers.enter(0);
  rooms.state.peers[3].inbound.last_heard = start + patience / 4 + 1ms;
  const AbortNotice notice = rooms.liveness.verdict(rooms.other, start + patience);
  EXPECT_EQ(notice.reason, AbortReason::peer_lost);
  EXPECT_EQ(notice.subject, 1);
}

TEST(Liveness, who_expects_but_one_to_speak_accuses_that_one) {
  Rooms<ReceiverDriven> rooms(config_of(3));
  rooms.other.inbound.numbers.enter(0);
  rooms.state.peers[2].parting.finished = true;
  EXPECT_EQ(rooms.liveness.verdict(rooms.other, start + patience).subject, 1);
}

TEST(Liveness, says_what_a_peer_that_is_heard_does_not_deliver) {
  Rooms<ReceiverDriven> rooms;
  rooms.begin_leg();
  rooms.other.inbound.last_heard = start + patience;
  rooms.other.inbound.largest = 100;
  EXPECT_THAT(rooms.liveness.verdict(rooms.other, start + patience).text,
              HasSubstr("what stops them cannot be seen"))
      << "nothing long has been sent";
  rooms.other.outbound.longest = 1400;
  const AbortNotice notice = rooms.liveness.verdict(rooms.other, start + patience);
  EXPECT_EQ(notice.reason, AbortReason::no_progress);
  EXPECT_THAT(notice.text, HasSubstr("nothing new for 15.0 s: datagrams of 1400 bytes seem to be too large"));
}

TEST(Liveness, says_that_a_datagram_takes_too_long_at_the_rate) {
  EndpointConfig config = config_of(2);
  config.options.rate = {100};
  Rooms<ReceiverDriven> rooms(config);
  rooms.begin_leg();
  rooms.other.inbound.last_heard = start + patience;
  EXPECT_THAT(
      rooms.liveness.verdict(rooms.other, start + patience).text,
      HasSubstr(
          "nothing new for 15.0 s: at 800 bit/s a datagram of 1400 bytes takes 14 s: give a higher --rate"));
}

/// What all are told of a peer that was silent for the limit, where a rank has so many others.
std::string silent_at(BytesPerSecond rate, Rank size, bool ever_heard) {
  EndpointConfig config = config_of(size);
  config.options.rate = rate;
  Rooms<ReceiverDriven> rooms(config);
  rooms.begin_leg();
  if (ever_heard) rooms.other.inbound.numbers.enter(0);
  for (Rank rank = 2; rank < size; ++rank)
    rooms.state.peers[rank].inbound.last_heard = start + patience;
  return failure_from(rooms.liveness.verdict(rooms.other, start + patience), {}).message;
}

TEST(Liveness, names_no_firewall_where_the_rate_is_too_low) {
  EXPECT_EQ(
      silent_at({100}, 2, false),
      "rank 1 was never heard by rank 0 in 15.0 s: at 800 bit/s a datagram of 1400 bytes takes 14 s: give a "
      "higher --rate, or raise --peer-timeout");
  EXPECT_EQ(
      silent_at({100}, 2, true),
      "rank 1 was last heard 15.0 s ago, in superstep 0; of its message to rank 0 nothing came; at 800 bit/s a "
      "datagram of 1400 bytes takes 14 s: give a higher --rate, or raise --peer-timeout");
  EXPECT_THAT(silent_at({1000}, 2, false), HasSubstr("a firewall may block"));
}

TEST(Liveness, says_that_one_datagram_to_each_takes_too_long_at_the_rate) {
  EXPECT_THAT(
      silent_at({1000}, 8, false),
      HasSubstr("in 15.0 s: at 8 kbit/s a datagram of 1400 bytes to each of 7 ranks takes 10 s: give a "
                "higher --rate, or raise --peer-timeout"));
  EXPECT_THAT(silent_at({10000}, 8, false), HasSubstr("a firewall may block"));
}

/// What is said of a peer whose answers take so long and that does not deliver.
std::string undelivered(Duration round_trip, bool of_slow_link = false) {
  Rooms<ReceiverDriven> rooms;
  rooms.begin_leg();
  Peer& other = rooms.other;
  other.outbound.longest = 1400;
  other.inbound.largest = 100;
  other.path.times.sent(0, start);
  other.path.times.echoed({1, 0}, start + round_trip);
  if (of_slow_link) {
    const DeliveryBound::Path path{{1e6}, 1250};
    TrainMark mark{.sent_at = start};
    other.path.rate.judge_delivery(mark, 0ms, path, start);
    mark.packets = mark.arrived = 4;
    mark.bytes = 5000;
    mark.arrived_at = 500'000;
    other.path.rate.judge_delivery(mark, 1s, path, start);
  }
  other.inbound.last_heard = start + patience;
  return rooms.liveness.verdict(other, start + patience).text;
}

TEST(Liveness, answers_that_take_a_second_tell_of_a_network_that_carries_too_little) {
  EXPECT_THAT(undelivered(1s - 1us), HasSubstr("nothing new for 15.0 s: datagrams of 1400 bytes seem"));
  EXPECT_THAT(undelivered(1s),
              HasSubstr("answers take 1.0 s, so more is sent than the network between them carries: "));
  EXPECT_THAT(undelivered(1s, true),
              ContainsRegex("which carries about [0-9][0-9] kbit/s to it: send less per superstep"));
}

TEST(Liveness, the_time_that_this_process_slept_is_nobodys_silence) {
  Rooms<ReceiverDriven> rooms;
  rooms.liveness.forgive_own_sleep(start + 1h);
  EXPECT_EQ(rooms.limit(Timer::silence), start + 1h + patience);
  rooms.liveness.forgive_own_sleep(start + 1h + patience / 3);
  EXPECT_EQ(rooms.limit(Timer::silence), start + 1h + patience) << "a short pause is no sleep";
  rooms.liveness.forgive_own_sleep(start + 1h + patience / 3 + patience / 2);
  EXPECT_EQ(rooms.limit(Timer::silence), start + 1h + patience / 2 + patience) << "half the limit is";
}

TEST(Liveness, a_sleep_does_not_shorten_the_time_that_a_peer_has_to_answer_a_farewell) {
  Rooms<ReceiverDriven> rooms(config_of(3));
  rooms.other.parting.drained_at = start + 1s;
  rooms.liveness.forgive_own_sleep(start + 1h);
  EXPECT_EQ(rooms.other.parting.drained_at, start + 1s + 1h);
  EXPECT_EQ(rooms.state.peers[2].parting.drained_at, never);
}

TEST(Liveness, keepalives_go_out_more_often_while_nothing_is_known_to_arrive_or_nothing_comes) {
  Rooms<ReceiverDriven> rooms;
  EXPECT_EQ(rooms.limit(Timer::keepalive), start + 1s);
  rooms.other.outbound.last_small = start + 10s;
  EXPECT_EQ(rooms.limit(Timer::keepalive), start + 10s + patience / 200);
  rooms.other.echoed.at = start + 9s;
  EXPECT_EQ(rooms.limit(Timer::keepalive), start + 10s + patience / 200);
  rooms.other.inbound.last_heard = start + 9s;
  EXPECT_EQ(rooms.limit(Timer::keepalive), start + 11s);
}

}  // namespace
}  // namespace lbsp::transport
