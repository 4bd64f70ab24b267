#include "transport/core/receiving.hpp"

#include <gtest/gtest.h>

#include "tests/transport/core/receiving_room.hpp"
#include "transport/wire/packet_number.hpp"

/// What is taken from the network, and what is dropped.
namespace lbsp::transport {
namespace {

using testing::first;

using namespace testing;

TEST_F(ReceivingTest, an_authentic_segment_is_taken_and_entered_in_the_books) {
  take(data(0), start + 2s);
  EXPECT_EQ(counters().datagrams_received, 1u);
  EXPECT_EQ(counters().datagrams_rejected, 0u);
  EXPECT_EQ(room_.other.inbound.last_heard, start + 2s);
  EXPECT_EQ(room_.other.inbound.largest, 1000 + data_overhead_bytes - echo_bytes) << "without an echo";
  EXPECT_EQ(room_.other.inbound.messages.find(first)->arrived().count(), 1u);
}

TEST_F(ReceivingTest, what_is_not_for_this_rank_and_job_is_dropped_unread) {
  const auto with = [&](auto change) {
    ClearHeader wrong = header(DatagramKind::data, 0);
    change(wrong);
    const Bytes datagram =
        sealed(room_.state.config, wrong, [](WireWriter& out) { write(out, segment_of(first, 10, 0)); });
    take(datagram);
  };
  with([](ClearHeader& wrong) { ++wrong.job_tag; });
  with([](ClearHeader& wrong) { wrong.destination = 1; });
  with([](ClearHeader& wrong) { wrong.source = 0; });
  with([](ClearHeader& wrong) { wrong.source = 2; });
  take(Bytes(10));
  EXPECT_EQ(counters().datagrams_rejected, 5u);
  EXPECT_EQ(counters().datagrams_received, 0u);
}

TEST_F(ReceivingTest, what_was_changed_on_its_way_or_comes_twice_is_dropped) {
  const Bytes datagram = data(0);
  for (std::size_t i = 0; i < datagram.size(); i += 37) {
    Bytes changed = datagram;
    changed[i] ^= std::byte{4};
    take(changed);
  }
  EXPECT_EQ(counters().datagrams_received, 0u);
  EXPECT_EQ(room_.other.inbound.last_heard, start);
  take(datagram);
  const std::uint64_t before = counters().datagrams_rejected;
  take(datagram);
  EXPECT_EQ(counters().datagrams_received, 1u);
  EXPECT_EQ(counters().datagrams_rejected, before + 1);
}

/// A copy from elsewhere may have come before the peer's own datagram.
TEST_F(ReceivingTest, a_copy_tells_whose_it_is_while_that_one_is_looked_for) {
  const auto whose = [&](Bytes datagram) { return receiving_.take(datagram, start); };
  EXPECT_EQ(whose(data(5)), (HeardFrom{.rank = 1, .copy = false}));
  EXPECT_EQ(whose(data(3)), std::nullopt) << "a later one has come";
  EXPECT_EQ(whose(data(5)), std::nullopt);
  ASSERT_TRUE(addresses_.ask(1, {}, start));
  const TrafficCounters before = counters();
  EXPECT_EQ(whose(data(5)), (HeardFrom{.rank = 1, .copy = true}));
  EXPECT_EQ(counters().datagrams_rejected, before.datagrams_rejected + 1) << "it says nothing else";
  EXPECT_EQ(counters().datagrams_received, before.datagrams_received);
  Bytes forged = data(5);
  forged.back() ^= std::byte{1};
  EXPECT_EQ(whose(forged), std::nullopt);
}

TEST_F(ReceivingTest, a_packet_number_may_jump_by_an_epoch_and_no_more) {
  take(data(DirectionKey::packets_per_epoch + 1));
  EXPECT_EQ(counters().datagrams_received, 0u);
  take(data(DirectionKey::packets_per_epoch));
  EXPECT_EQ(counters().datagrams_received, 1u);
}

TEST_F(ReceivingTest, packet_numbers_beyond_their_lower_part_are_told_by_those_before) {
  constexpr std::uint64_t epoch = DirectionKey::packets_per_epoch;
  std::uint64_t received = 0;
  for (std::uint64_t packet = epoch; packet <= 3 * packet_number_window; packet += epoch) {
    take(data(packet));
    EXPECT_EQ(counters().datagrams_received, ++received) << packet;
    take(data(packet - 1));
    EXPECT_EQ(counters().datagrams_received, ++received) << "one that was overtaken, before " << packet;
  }
  EXPECT_EQ(room_.other.inbound.numbers.next(), 3 * packet_number_window + 1);
}

TEST_F(ReceivingTest, a_datagram_of_another_window_is_neither_taken_nor_takes_the_place_of_one) {
  take(data(5));
  const Bytes later = data(packet_number_window + 7);
  take(later);
  EXPECT_EQ(counters().datagrams_received, 1u) << "too far ahead: it is opened as number 7, in vain";
  take(data(7, 1));
  EXPECT_EQ(counters().datagrams_received, 2u);
  for (std::uint64_t packet = DirectionKey::packets_per_epoch; packet <= packet_number_window;
       packet += DirectionKey::packets_per_epoch)
    take(data(packet));
  const std::uint64_t before = counters().datagrams_received;
  take(data(6));
  EXPECT_EQ(counters().datagrams_received, before) << "opened as a number that it has not";
  take(later);
  EXPECT_EQ(counters().datagrams_received, before + 1);
}

TEST_F(ReceivingTest, version_1_is_dropped_unread) {
  Bytes datagram = data(0);
  datagram[0] = static_cast<std::byte>(0x11);
  take(datagram);
  EXPECT_EQ(counters().datagrams_received, 0u);
  EXPECT_EQ(counters().datagrams_rejected, 1u);
}

TEST_F(ReceivingTest, a_segment_without_an_echo_tells_nothing_of_what_has_arrived) {
  room_.send();
  take(data(0));
  EXPECT_EQ(room_.other.echoed.packets, 0u);
}

TEST_F(ReceivingTest, the_echo_of_a_segment_is_taken) {
  room_.send();
  SegmentHeader header = segment_of(first, 100, 0);
  header.echo = Echo{};
  header.echo->packets = 1;
  take(sealed(room_.state.config, this->header(DatagramKind::data, 0), [&](WireWriter& out) {
    write(out, header);
    out.put(std::span<const std::byte>(Bytes(100)));
  }));
  EXPECT_EQ(counters().datagrams_rejected, 0u);
  EXPECT_EQ(room_.other.echoed.packets, 1u);
}

TEST_F(ReceivingTest, gaps_in_the_packet_numbers_are_losses_until_they_are_filled) {
  room_.other.inbound.long_arrival.bytes = 0;  // or these segments would tell of a narrow path
  take(data(3));
  EXPECT_GT(room_.other.inbound.loss.report().loss, 0);
  const std::uint16_t loss = room_.other.inbound.loss.report().loss;
  take(data(1, 1));
  EXPECT_LT(room_.other.inbound.loss.report().loss, loss);
}

TEST_F(ReceivingTest, only_the_newest_datagram_is_what_an_echo_is_of) {
  take(data(5), start + 1ms);
  take(data(4, 1), start + 2ms);
  EXPECT_EQ(room_.other.inbound.newest_at, start + 1ms);
}

TEST_F(ReceivingTest, what_is_authentic_and_makes_no_sense_counts_as_received_and_rejected) {
  take(data(0, 0, {2, Leg::messages}));  // two supersteps ahead
  take(data(1, 77));
  take(DatagramKind::ack, 2, SegmentAck{{}, first, 1, 0});  // of the paper's rounds
  EXPECT_EQ(counters().datagrams_received, 3u);
  EXPECT_EQ(counters().datagrams_rejected, 3u);
}

TEST_F(ReceivingTest, what_is_authentic_and_cut_short_counts_as_rejected) {
  std::uint64_t packet = 0;
  for (const auto kind :
       {DatagramKind::data, DatagramKind::coded, DatagramKind::status, DatagramKind::ack, DatagramKind::size,
        DatagramKind::address, DatagramKind::fin, DatagramKind::abort}) {
    take(sealed(room_.state.config, header(kind, packet++),
                [](WireWriter& out) { out.put(std::span<const std::byte>(Bytes(3))); }));
    EXPECT_EQ(counters().datagrams_received, packet);
    EXPECT_EQ(counters().datagrams_rejected, packet);
  }
  take(sealed(room_.state.config, header(DatagramKind::status, packet++), [](WireWriter& out) {
    write(out, StatusHeader{});
    out.put(std::span<const std::byte>(Bytes(3)));
  }));
  EXPECT_EQ(counters().datagrams_rejected, packet) << "half an entry";
  EXPECT_FALSE(control_.failure());
}

TEST_F(ReceivingTest, of_a_peer_whose_path_was_given_up_the_next_datagram_ends_this_endpoint) {
  std::uint64_t sent = 0;
  for (Duration time{0}; !room_.other.path.breaker.open(); time += 100ms) {
    ASSERT_LT(time, 1h);
    sent += 100;
    room_.other.path.breaker.told(sent, 0, sent, 15s, start + time);
  }
  EXPECT_FALSE(control_.failure());
  take(data(0));
  ASSERT_TRUE(control_.failure());
  EXPECT_EQ(control_.failure()->rank, 1);
}

TEST_F(ReceivingTest, abort_ends_this_endpoint_and_nothing_is_taken_after_it) {
  AbortNotice notice{AbortReason::peer_lost, 2, 0, 5000, ""};
  take(DatagramKind::abort, 0, notice);
  EXPECT_FALSE(control_.failure()) << "there is no rank 2";
  notice.subject = 1;
  take(DatagramKind::abort, 1, notice);
  ASSERT_TRUE(control_.failure());
  EXPECT_EQ(control_.failure()->rank, 1);
  take(data(2));
  EXPECT_EQ(room_.other.inbound.messages.find(first), nullptr);
  EXPECT_EQ(counters().datagrams_received, 3u);
  EXPECT_EQ(counters().datagrams_rejected, 1u);
}

}  // namespace
}  // namespace lbsp::transport
