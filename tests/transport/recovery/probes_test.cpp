#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driven_room.hpp"
#include "tests/transport/message_ids.hpp"
#include "transport/recovery/receiver_driven.hpp"

/// When a sender probes, and what goes while nothing is known of the peer.
namespace lbsp::transport {
namespace {

using testing::first;

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace testing;

using Room = DrivenRoom;

/// As on a path that loses most of what it is sent.
class SixTimes final : public RedundancyPlanner {
 public:
  LegForecast plan(const LegOutline&, std::span<MessagePlan>) override { return {}; }
  int repairs_for(int lacking, int, const PathForecast&) const override { return 6 * lacking; }
};

TEST(ReceiverDriven, a_datagram_that_acknowledges_nothing_does_not_put_off_the_probe) {
  Room room;
  room.begin_leg(3000);
  room.send();
  const Instant probe = room.at(Timer::probe);
  room.take(first, 3000, {0}, start + 9ms);
  EXPECT_EQ(room.at(Timer::probe), probe);
}

/// The answer is as late as this rank is, or waits in its socket: more probes only make all of them later.
TEST(ReceiverDriven, a_rank_whose_host_is_overloaded_waits_longer_for_an_answer) {
  Room usual;
  usual.begin_leg(3000);
  usual.send();
  Room late;
  late.state.lateness.note(300ms, start - 300ms);
  late.state.lateness.note(300ms, start);
  late.begin_leg(3000);
  late.send();
  EXPECT_EQ(late.at(Timer::probe), usual.at(Timer::probe) + 300ms);
}

/// A report that tells of nothing may have left before what it does not tell of was read.
TEST(ReceiverDriven, a_rank_whose_host_is_overloaded_takes_nothing_for_lost_before_it_can_have_been_read) {
  for (const auto overloaded : {0ms, 900ms}) {
    Room room;
    room.begin_leg(3000);
    room.send();
    room.state.lateness.note(overloaded, start - 100ms);
    room.state.lateness.note(overloaded, start);
    WireReader nothing(Bytes{});
    StatusHeader header = room.header();
    header.echo.packets = 0;
    room.recovery->report_arrived(room.other, header, nothing, start + 500ms);
    EXPECT_EQ(room.repairs().empty(), overloaded > 0ms) << overloaded.count();
  }
}

TEST(ReceiverDriven, a_report_that_left_before_anything_of_ours_came_does_not_put_off_the_probe) {
  Room room;
  room.begin_leg(3000);
  room.send();
  const Instant probe = room.at(Timer::probe);
  const auto report = [&](Instant now) {
    WireReader nothing(Bytes{});
    StatusHeader header = room.header();
    header.echo.packets = 0;
    room.recovery->report_arrived(room.other, header, nothing, now);
  };
  room.other.echoed.at = start;
  report(start + 9ms);
  EXPECT_EQ(room.at(Timer::probe), probe);
  room.other.echoed.at = start + 10ms;
  report(start + 10ms);
  EXPECT_EQ(room.at(Timer::probe), probe + 10ms) << "something of ours has come, the rest may follow";
}

TEST(ReceiverDriven, a_report_goes_with_a_probe_only_if_the_path_may_be_narrow) {
  Room room;
  room.begin_leg(3000);
  room.send();
  room.other.path.narrow.sent(0, 1400);
  for (int probe = 0; probe < 2; ++probe) {
    room.recovery->struck(1, Timer::probe, start + 1s);
    EXPECT_FALSE(room.other.report.queued) << "one or two may be lost by chance";
  }
  room.recovery->struck(1, Timer::probe, start + 1s);
  EXPECT_TRUE(room.other.report.queued);
}

TEST(ReceiverDriven, a_probe_sends_the_first_and_the_last_segment_that_are_not_acknowledged) {
  Room room;
  room.begin_leg(10 * segment_bytes);
  room.send();
  for (const std::uint32_t segment : {0u, 4u, 9u})
    room.outgoing().acknowledge(segment);
  EXPECT_FALSE(room.recovery->struck(1, Timer::probe, start + 1s));
  EXPECT_THAT(room.repairs(), ElementsAre(1, 8));
  EXPECT_GT(room.at(Timer::probe), start + 1s);
  room.recovery->struck(1, Timer::probe, start + 2s);
  EXPECT_THAT(room.repairs(), IsEmpty()) << "both are queued";
}

/// Its copies may be what fills the link on which it, or its answer, is lost.
TEST(ReceiverDriven, a_probe_that_nobody_has_answered_is_followed_by_fewer_copies) {
  EndpointConfig config = config_of(2);
  config.planner = std::make_shared<SixTimes>();
  Room room(config);
  room.begin_leg(300);
  room.send();
  const auto sent_by_probe = [&] {
    room.recovery->struck(1, Timer::probe, start + 1s);
    room.state.queue.release(start + 2s);
    const auto count = room.repairs().size();
    room.outgoing().segment(0).repair_queued = false;
    return count;
  };
  room.other.path.longest_arrived = 1000;
  EXPECT_EQ(sent_by_probe(), 6U);
  EXPECT_EQ(sent_by_probe(), 3U);
  EXPECT_EQ(sent_by_probe(), 3U);
}

/// At 1 Mbit/s reports to 19 peers take 0.12 s. This one does not hold them as long.
TEST(ReceiverDriven, a_peer_that_has_answered_soon_is_not_waited_for_as_long_as_one_that_may_answer_all) {
  EndpointConfig config = config_of(20);
  config.options.rate = megabits_per_second(1);
  Room room(config);
  room.begin_leg(300);
  room.send();
  const Instant unknown = room.at(Timer::probe);
  EXPECT_GT(unknown, start + 200ms);
  for (const auto held : {60ms, 3ms}) {
    room.other.answers.told(held);
    room.recovery->answer_awaited(room.other, start);
    EXPECT_LT(room.at(Timer::probe), unknown);
    EXPECT_GT(room.at(Timer::probe), unknown - 40ms) << "the most of the last ones";
  }
  for (int i = 0; i < 20; ++i)
    room.other.answers.told(3ms);
  room.recovery->answer_awaited(room.other, start);
  EXPECT_LT(room.at(Timer::probe), unknown - 110ms);
}

/// What goes to both takes the same way.
TEST(ReceiverDriven, a_path_that_has_not_been_measured_is_taken_for_that_to_another_rank_of_its_host) {
  EndpointConfig config = config_of(4);
  config.hosts = {0, 1, 1, 2};
  Room room(config);
  room.begin_leg(300);
  room.send();
  const auto probe_at = [&](Rank rank) { return room.state.peers[rank].timers.at(Timer::probe); };
  const Instant unknown = probe_at(2);
  EXPECT_GT(unknown, start + 200ms);
  room.other.path.times.echoed({.packets = 1}, start + 2ms);
  room.other.echoed.packets = 1;
  room.recovery->path_measured(room.other, start + 2ms);
  EXPECT_LT(probe_at(2), start + 30ms);
  EXPECT_EQ(probe_at(3), unknown) << "is on another host";
  for (int probes = 1; probes < 3; ++probes) {
    const Instant now = probe_at(2);
    room.recovery->struck(2, Timer::probe, now);
    EXPECT_LT(probe_at(2), now + 50ms) << "nothing of its own has arrived, and it is not known for long data";
  }
}

TEST(ReceiverDriven, probes_come_more_slowly_after_three) {
  Room room;
  room.other.echoed.packets = 1;
  room.begin_leg(100);
  room.send();
  const Duration plain = room.at(Timer::probe) - start;
  for (int i = 0; i < 3; ++i) {
    room.recovery->struck(1, Timer::probe, start);
    EXPECT_EQ(room.at(Timer::probe) - start, plain);
  }
  room.recovery->struck(1, Timer::probe, start);
  EXPECT_EQ(room.at(Timer::probe) - start, plain + plain / 2);
  for (int i = 0; i < 20; ++i)
    room.recovery->struck(1, Timer::probe, start);
  EXPECT_EQ(room.at(Timer::probe) - start, 1s);
}

TEST(ReceiverDriven,
     where_nothing_is_known_to_have_arrived_the_time_between_probes_doubles_up_to_four_seconds) {
  Room room;
  room.begin_leg(100);
  room.send();
  const Duration plain = room.at(Timer::probe) - start;
  EXPECT_EQ(plain, room.other.path.times.probe_timeout());
  for (const int times : {2, 4, 8}) {
    room.recovery->struck(1, Timer::probe, start);
    EXPECT_EQ(room.at(Timer::probe) - start, times * plain);
  }
  for (int i = 0; i < 20; ++i)
    room.recovery->struck(1, Timer::probe, start);
  EXPECT_EQ(room.at(Timer::probe) - start, 4s);
}

TEST(ReceiverDriven, where_nothing_is_known_to_have_arrived_further_probes_send_one_segment) {
  Room room;
  room.begin_leg(10 * segment_bytes);
  room.send();
  room.recovery->struck(1, Timer::probe, start + 1s);
  EXPECT_THAT(room.repairs(), ElementsAre(0, 9));
  for (const std::uint32_t segment : {0u, 9u})
    room.outgoing().segment(segment).repair_queued = false;
  room.recovery->struck(1, Timer::probe, start + 2s);
  EXPECT_THAT(room.repairs(), ElementsAre(0));
}

TEST(ReceiverDriven, where_nothing_is_known_to_have_arrived_the_time_between_reports_doubles) {
  Room room;
  room.begin_leg(100);
  room.take(first, 3000, {0});
  const Duration interval = room.other.path.times.report_interval();
  for (const int times : {1, 1, 2, 4, 8}) {
    room.recovery->report_written(room.other, start);
    EXPECT_EQ(room.at(Timer::report), start + times * interval);
  }
}

TEST(ReceiverDriven, a_probe_lets_what_was_held_back_go_on_trial) {
  EndpointConfig config = config_of(2);
  config.buffer_datagrams = 10;  // room for seven
  Room room(config);
  room.begin_leg(100);
  room.send();
  room.other.outbound.held_back.push_back({1, first, 0, 0});
  room.other.outbound.next_packet = 8;
  ASSERT_TRUE(room.in_flight.full(room.other));
  room.recovery->struck(1, Timer::probe, start + 1s);
  EXPECT_TRUE(room.other.outbound.held_back.empty());
  EXPECT_FALSE(room.in_flight.full(room.other)) << "a few may go though no echo has come";
}

TEST(ReceiverDriven, no_answer_is_awaited_of_a_peer_to_whom_nothing_was_sent) {
  Room room;
  room.begin_leg(100);
  room.recovery->answer_awaited(room.other, start);
  EXPECT_EQ(room.at(Timer::probe), never);
}

}  // namespace
}  // namespace lbsp::transport
