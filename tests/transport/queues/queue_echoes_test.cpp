#include <gtest/gtest.h>

#include "tests/transport/room_state.hpp"

/// What echoes that tell of a queue, of nothing, or of how delays vary bring about for the rates.
namespace lbsp::transport {
namespace {

using namespace testing;

constexpr std::size_t datagram_bytes = 1400;
constexpr std::size_t segment_bytes = datagram_bytes - data_overhead_bytes;

struct Echoes {
  EndpointConfig config(Rank size) const {
    EndpointConfig made = config_of(size);
    made.options.find_rate = true;
    made.options.rate = megabits_per_second(100);
    return made;
  }
  Echoes(Rank size, std::size_t segments) : room{config(size)} { room.begin_leg(segments * segment_bytes); }

  /// A datagram goes to each of these peers every millisecond; on the way to rank 1 a queue grows by a quarter of one.
  void run(std::initializer_list<Rank> peers, Duration round_trip = 40ms) {
    for (int i = 0; i < 200; ++i, now += 1ms) {
      for (const Rank rank : peers) {
        Peer& to = room.state.peers[rank];
        bytes_to_all += datagram_bytes;
        to.path.times.sent(to.outbound.next_packet++, now, 1, datagram_bytes, bytes_to_all);
        const Duration queue = rank == 1 ? i * 250us : 0us;
        Echo echo;
        echo.packets = to.outbound.next_packet;
        echo.arrived = static_cast<std::uint32_t>(echo.packets);
        const auto arrival = std::chrono::duration_cast<std::chrono::microseconds>(
            (now + round_trip / 2 + queue).time_since_epoch());
        echo.arrival_microseconds = static_cast<std::uint32_t>(arrival.count());
        room.in_flight.echoed(to, echo, now + round_trip + queue);
      }
    }
  }
  bool rank_bound() const { return room.state.rate.bounded(); }
  bool path_bound(Rank rank) { return room.state.peers[rank].path.rate.bound().has_value(); }

  RoomState<ReceiverDriven> room;
  Instant now = start;
  std::uint64_t bytes_to_all = 0;
};

TEST(QueueEchoes, with_one_peer_on_other_hosts_a_queue_bounds_the_rank) {
  Echoes echoes(2, 96);
  echoes.run({1});
  EXPECT_TRUE(echoes.rank_bound());
  EXPECT_EQ(echoes.room.state.rate.rate(), echoes.room.state.rate.host_rate());
  EXPECT_FALSE(echoes.path_bound(1));
}

TEST(QueueEchoes, of_short_messages_bound_nothing) {
  Echoes echoes(2, 95);
  echoes.run({1});
  EXPECT_FALSE(echoes.rank_bound());
}

TEST(QueueEchoes, on_paths_shorter_than_ten_milliseconds_bound_nothing) {
  Echoes shorter(2, 96);
  shorter.run({1}, 10ms - 1us);
  EXPECT_FALSE(shorter.rank_bound());
  Echoes longer(2, 96);
  longer.run({1}, 10ms);
  EXPECT_TRUE(longer.rank_bound());
}

TEST(QueueEchoes, judge_a_bound_also_when_the_path_turns_out_to_be_shorter) {
  Echoes echoes(2, 96);
  echoes.run({1}, 10ms);
  ASSERT_TRUE(echoes.rank_bound());
  const BytesPerSecond before = echoes.room.state.rate.rate();
  echoes.run({1}, 9ms);
  EXPECT_NE(echoes.room.state.rate.rate(), before);
}

TEST(QueueEchoes, what_one_of_several_paths_has_alone_bounds_that_path) {
  for (const std::size_t segments : {95u, 96u}) {
    Echoes echoes(3, segments);
    echoes.run({1, 2});
    EXPECT_FALSE(echoes.rank_bound());
    EXPECT_EQ(echoes.path_bound(1), segments == 96);
    EXPECT_FALSE(echoes.path_bound(2));
  }
}

TEST(QueueEchoes, of_several_peers_the_one_to_whom_nearly_all_is_sent_has_its_path_bound) {
  Echoes echoes(3, 96);
  echoes.run({1});
  EXPECT_FALSE(echoes.rank_bound()) << "of the others nothing is known";
  EXPECT_TRUE(echoes.path_bound(1));
}

/// A link of 10 kB/s, of which an echo has told.
void find_slow(Peer& to) {
  const DeliveryBound::Path path{{1e6}, datagram_bytes};
  TrainMark mark{.sent_at = start};
  EXPECT_FALSE(to.path.rate.judge_delivery(mark, 0ms, path, start));
  mark = {.packets = 4, .arrived = 4, .sent_at = start, .arrived_at = 560'000, .bytes = 4 * datagram_bytes};
  EXPECT_TRUE(to.path.rate.judge_delivery(mark, 1s, path, start));
  ASSERT_TRUE(to.path.rate.carried());
}

TEST(QueueEchoes, where_all_paths_are_slow_the_rank_sends_what_they_carry_together) {
  for (const bool all : {true, false}) {
    RoomState<ReceiverDriven> room(config_of(3));
    Peer& first = room.state.peers[1];
    Peer& second = room.state.peers[2];
    find_slow(first);
    if (all) find_slow(second);
    first.path.times.sent(first.outbound.next_packet++, start, 1, datagram_bytes, datagram_bytes);
    Echo echo;
    echo.packets = 1;
    room.in_flight.echoed(first, echo, start + 40ms);
    if (all) {
      EXPECT_DOUBLE_EQ(room.state.rate.rate().value,
                       first.path.rate.carried()->value + second.path.rate.carried()->value);
    } else {
      EXPECT_EQ(room.state.rate.rate(), room.state.config.options.rate);
    }
  }
}

TEST(QueueEchoes, on_a_slow_link_one_datagram_goes_at_once) {
  RoomState<ReceiverDriven> room;
  find_slow(room.other);
  EXPECT_TRUE(room.other.path.rate.may_send(start));
  room.other.path.rate.sent(datagram_bytes, room.state.rate.rate(), start);
  EXPECT_FALSE(room.other.path.rate.may_send(start));
}

TEST(QueueEchoes, reports_to_a_peer_on_a_slow_link_take_an_eighth_of_it) {
  RoomState<ReceiverDriven> room;
  room.begin_leg(100);
  find_slow(room.other);
  room.other.echoed.packets = 1;
  room.other.inbound.messages.add(IncomingMessage(segment_of({}, 3000, 0)));
  room.recovery->datagram_arrived(room.other, false, start);
  EXPECT_EQ(room.other.timers.at(Timer::report), start + room.other.path.rate.carried()->time_for(800));
}

/// Of one far peer, of which next to nothing arrives; the datagrams that may go to it per second.
template <class Resident>
std::optional<double> datagrams_per_second_after(Duration time, EndpointConfig config) {
  RoomState<Resident> room(std::move(config));
  Peer& to = room.state.peers[1];
  Echo echo;
  for (Instant now = start; now < start + time; now += 100ms) {
    to.outbound.next_packet += 100;
    echo.packets = to.outbound.next_packet;
    echo.arrived += 2;
    Echo told = echo;
    room.in_flight.echoed(to, told, now);
  }
  const auto rate = to.path.rate.rate();
  return rate ? std::optional(rate->value / datagram_bytes) : std::nullopt;
}

TEST(CircuitBreaker, holds_the_rate_of_a_path_to_other_hosts_on_which_hardly_anything_arrives) {
  EXPECT_EQ(datagrams_per_second_after<ReceiverDriven>(14s, config_of(2)), std::nullopt);
  EXPECT_EQ(datagrams_per_second_after<ReceiverDriven>(17s, config_of(2)),
            CircuitBreaker::slowest_per_second);
  EndpointConfig near = config_of(2);
  near.hosts = {0, 0};
  EXPECT_EQ(datagrams_per_second_after<ReceiverDriven>(17s, near), std::nullopt);
  EXPECT_EQ(datagrams_per_second_after<PaperRounds>(17s, config_of(2, Recovery::rounds)), std::nullopt);
}

/// What was entered of the path's newest datagram to find a rate, after one that took so long to be echoed.
TrainMark entered(EndpointConfig config, Duration round_trip, std::size_t bytes = datagram_bytes) {
  RoomState<ReceiverDriven> room(std::move(config));
  room.other.path.times.sent(room.other.outbound.next_packet++, start, 1, bytes, bytes);
  Echo echo;
  echo.packets = 1;
  room.in_flight.echoed(room.other, echo, start + round_trip);
  return room.other.path.train_mark;
}

TEST(TrainMark, of_a_told_rate_counts_on_paths_that_leave_the_building) {
  EXPECT_EQ(entered(config_of(2), 1ms - 1us).packets, 0u);
  EXPECT_EQ(entered(config_of(2), 1ms).packets, 1u);
}

TEST(TrainMark, of_a_rate_to_be_found_counts_on_all_paths_to_other_hosts) {
  EndpointConfig found = config_of(2);
  found.options.find_rate = true;
  EXPECT_EQ(entered(found, 100us).packets, 1u);
  found.hosts = {0, 0};
  EXPECT_EQ(entered(found, 100us).packets, 0u);
}

TEST(TrainMark, is_of_data_from_half_the_length_of_a_datagram_on) {
  EXPECT_TRUE(entered(config_of(2), 40ms, 700).data);
  EXPECT_FALSE(entered(config_of(2), 40ms, 699).data);
}

/// Of a rank that finds its rate: what two echoes tell of how much longer the second datagram took to arrive.
std::optional<Duration> late(Duration sending, std::chrono::microseconds arriving, std::uint32_t train = 1) {
  ExchangeOptions options;
  options.find_rate = true;
  RateControl control(options, 0.05, start);
  TrainMark last;
  const TrainMark first{.train = train, .packets = 1, .arrived = 1, .sent_at = start, .arrived_at = 5000};
  TrainMark second = first;
  second.packets = second.arrived = 2;
  second.sent_at = start + sending;
  second.arrived_at += static_cast<std::uint32_t>(arriving.count());
  control.echoed(last, first, start);
  EXPECT_EQ(last.late, std::nullopt);
  control.echoed(last, second, start);
  return last.late;
}

TEST(RateControl, knows_by_how_much_longer_a_datagram_took_than_the_one_before) {
  EXPECT_EQ(late(2ms, 2500us), 500us);
  EXPECT_EQ(late(2ms, 1500us), -500us);
  EXPECT_EQ(late(500ms, 500ms), 0us);
  EXPECT_EQ(late(500ms + 1ns, 500ms), std::nullopt) << "echoes so far apart say little";
  EXPECT_EQ(late(2ms, 2500us, 0), std::nullopt) << "no train was known";
}

/// A train in three parts, each of which takes so much longer to arrive; the rate that follows, in Mbit/s.
double found_after(std::uint32_t sent, std::uint32_t arrived, Duration sending, Duration late) {
  ExchangeOptions options;
  options.rate = megabits_per_second(100);
  options.find_rate = true;
  RateControl control(options, 0.05, start);
  TrainMark mark{.train = control.train(), .packets = 1000, .arrived = 1000, .sent_at = start};
  TrainMark last;
  EXPECT_FALSE(control.echoed(last, mark, start));
  bool changed = false;
  for (int part = 0; part < 3; ++part) {
    EXPECT_FALSE(changed) << "less than an epoch";
    mark.packets += sent;
    mark.arrived += arrived;
    mark.sent_at += sending;
    mark.arrived_at += static_cast<std::uint32_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(sending + late).count());
    changed = control.echoed(last, mark, start);
  }
  EXPECT_EQ(changed, control.rate() != options.rate);
  return control.rate().value * 8e-6;
}

TEST(RateControl, an_epoch_is_of_what_became_of_the_datagrams_of_a_train_since_the_echo_before) {
  EXPECT_EQ(found_after(100, 100, 7ms, 0ms), 125);
  EXPECT_EQ(found_after(100, 80, 7ms, 0ms), 100) << "too much is lost";
}

TEST(RateControl, a_train_grows_a_queue_by_what_all_its_parts_take_longer) {
  EXPECT_EQ(found_after(100, 100, 7ms, 600us), 125) << "1.8 ms";
  EXPECT_EQ(found_after(100, 100, 7ms, 1ms), 100) << "3 ms";
}

TEST(RateControl, a_limit_changes_the_rate_only_if_it_is_lower) {
  RateControl control({}, 0.05, start);
  const BytesPerSecond before = control.rate();
  EXPECT_FALSE(control.limit(std::nullopt, start));
  EXPECT_FALSE(control.limit(BytesPerSecond{2 * before.value}, start));
  EXPECT_TRUE(control.limit(BytesPerSecond{before.value / 2}, start));
  EXPECT_EQ(control.rate().value, before.value / 2);
  EXPECT_TRUE(control.limit(std::nullopt, start));
  EXPECT_EQ(control.rate(), before);
}

TEST(RateControl, with_rounds_keeps_the_rate_whatever_echoes_say) {
  ExchangeOptions options;
  options.recovery = Recovery::rounds;
  RateControl control(options, 0.05, start);
  TrainMark last;
  EXPECT_FALSE(control.echoed(last, {.train = 1, .packets = 1}, start));
  EXPECT_EQ(control.rate(), options.rate);
  control.sent(1000, start);
  EXPECT_EQ(control.bytes_sent(), 1000u);
}

}  // namespace
}  // namespace lbsp::transport
