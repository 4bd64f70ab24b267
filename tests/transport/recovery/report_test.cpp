#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/transport/scripted_superstep.hpp"
#include "transport/messages/loss_detection.hpp"
#include "transport/peers/report_queue.hpp"

/// What a report tells its sender's peer, and what it does not.
namespace lbsp::transport::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr MessageId id{3, Leg::messages};

/// A message of ten segments, each sent once at the beginning of time in a packet of its own number.
class LossInReport : public ::testing::Test {
 protected:
  LossInReport() {
    for (std::uint32_t i = 0; i < 10; ++i)
      message_.sent(i, i, Instant{});
  }

  static StatusEntry entry(std::uint32_t first, std::uint16_t bits, std::span<const std::byte> bitmap) {
    StatusEntry made;
    made.message = id;
    made.first = first;
    made.bits = bits;
    made.bitmap = bitmap;
    return made;
  }
  /// The segments that a report which has seen `packets` finds lost.
  std::vector<std::uint32_t> lost(const StatusEntry& entry, std::uint64_t packets,
                                  Instant now = Instant{1ms}) {
    StatusHeader report;
    report.echo.packets = packets;
    std::vector<std::uint32_t> found;
    LossDetection(report, PathEstimate{}, std::nullopt, Duration{0}, now).apply(entry, message_, found);
    return found;
  }
  std::vector<std::uint32_t> acknowledged() {
    std::vector<std::uint32_t> list;
    for (std::uint32_t i = 0; i < 10; ++i) {
      if (message_.segment(i).acknowledged) list.push_back(i);
    }
    return list;
  }

  OutgoingMessage message_{id, Bytes(1000), 100};
};

TEST_F(LossInReport, what_the_bitmap_has_is_acknowledged_and_what_is_three_packets_behind_is_lost) {
  const std::array bitmap{std::byte{0b00001101}};
  EXPECT_THAT(lost(entry(2, 8, bitmap), 10), ElementsAre(3, 6));
  EXPECT_THAT(acknowledged(), ElementsAre(2, 4, 5));
  EXPECT_EQ(message_.unacknowledged(), 7u);
}

TEST_F(LossInReport, waits_as_long_for_segments_and_for_reports_as_either_may_be_overtaken) {
  StatusHeader report;
  report.reordering = 10ms;
  constexpr Duration of_reports = 20ms;
  const std::array<std::byte, 2> nothing{};
  const Instant due = Instant{} + PathEstimate{}.loss_delay() + report.reordering + of_reports;
  const auto lost_at = [&](Instant now) {
    std::vector<std::uint32_t> found;
    LossDetection(report, PathEstimate{}, std::nullopt, of_reports, now)
        .apply(entry(0, 10, nothing), message_, found);
    return found.size();
  };
  EXPECT_EQ(lost_at(due - 1us), 0u);
  EXPECT_EQ(lost_at(due), 10u);
}

TEST_F(LossInReport, all_before_the_bitmap_is_acknowledged_if_the_entry_says_so) {
  StatusEntry complete_until = entry(4, 0, {});
  complete_until.prefix_complete = true;
  EXPECT_THAT(lost(complete_until, 4), IsEmpty());
  EXPECT_THAT(acknowledged(), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(message_.first_unacknowledged(), 4u);
}

TEST_F(LossInReport, what_is_behind_the_bitmap_is_lost_only_if_the_entry_says_that_it_is_missing) {
  const std::array bitmap{std::byte{0b11}};
  StatusEntry some = entry(0, 2, bitmap);
  EXPECT_THAT(lost(some, 8), IsEmpty());
  some.rest_missing = true;
  EXPECT_THAT(lost(some, 8), ElementsAre(2, 3, 4)) << "packets 5 to 7 may still be on their way";
}

TEST_F(LossInReport, a_complete_message_is_acknowledged_whole) {
  StatusEntry complete = entry(0, 0, {});
  complete.complete = true;
  EXPECT_THAT(lost(complete, 10), IsEmpty());
  EXPECT_TRUE(message_.acknowledged());
}

TEST_F(LossInReport, time_alone_makes_a_segment_lost_after_nine_eighths_of_a_round_trip) {
  StatusEntry nothing_yet = entry(0, 0, {});
  nothing_yet.rest_missing = true;
  const Duration delay = PathEstimate{}.loss_delay();
  EXPECT_THAT(lost(nothing_yet, 0, Instant{delay - 1ns}), IsEmpty());
  EXPECT_EQ(lost(nothing_yet, 0, Instant{delay}).size(), 10u);
}

TEST_F(LossInReport, an_entry_tells_of_its_bitmap_and_of_what_its_flags_add) {
  const std::array bitmap{std::byte{0}};
  StatusEntry some = entry(2, 5, bitmap);
  EXPECT_EQ(told_of(some, message_).from, 2u);
  EXPECT_EQ(told_of(some, message_).to, 7u);
  some.prefix_complete = some.rest_missing = true;
  EXPECT_EQ(told_of(some, message_).from, 0u);
  EXPECT_EQ(told_of(some, message_).to, 10u);
}

TEST(ReportQueue, lets_one_report_to_each_peer_go_at_once_and_then_keeps_to_an_eighth_of_the_rate) {
  ReportQueue queue(BytesPerSecond{80'000}, 5, Instant{});
  EXPECT_EQ(queue.round(), 40ms) << "4 reports of 100 bytes";
  EXPECT_EQ(ReportQueue(BytesPerSecond{80'000}, 2, Instant{}).round(), 10ms);
  EXPECT_EQ(queue.next_release(false), never);
  std::vector<Rank> gone;
  for (int i = 0; i < 12; ++i)
    queue.push(i);
  const auto send_all = [&](Instant now) {
    while (queue.ready(now, false)) {
      gone.push_back(queue.pop());
      queue.sent(100);
    }
    return gone.size();
  };
  EXPECT_EQ(send_all(Instant{}), 4u);
  EXPECT_GT(queue.next_release(false), Instant{});
  EXPECT_EQ(send_all(Instant{35ms}), 8u) << "another each 10 ms, the first of them at once";
  queue.set_rate({40'000}, Instant{35ms});
  EXPECT_EQ(queue.round(), 80ms);
  EXPECT_THAT(gone, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(ReportQueue, takes_half_of_the_rate_while_no_data_waits_and_owes_nothing_for_that) {
  ReportQueue queue(BytesPerSecond{80'000}, 5, Instant{});
  for (int i = 0; i < 100; ++i)
    queue.push(i);
  const auto gone_in_the_millisecond_before = [&](Instant now, bool idle) {
    int gone = 0;
    for (; queue.ready(now, idle); ++gone)
      queue.sent(100);
    return gone;
  };
  EXPECT_EQ(gone_in_the_millisecond_before(Instant{}, true), 4);
  int idle = 0;
  for (Duration at = 1ms; at <= 50ms; at += 1ms)
    idle += gone_in_the_millisecond_before(Instant{at}, true);
  EXPECT_EQ(idle, 20) << "one each 2.5 ms";
  int busy = 0;
  for (Duration at = 51ms; at <= 100ms; at += 1ms)
    busy += gone_in_the_millisecond_before(Instant{at}, false);
  EXPECT_EQ(busy, 5) << "one each 10 ms, at once";
}

TEST(ReportQueue, takes_a_smaller_share_of_a_rate_at_which_reports_to_all_go_soon) {
  EXPECT_EQ(ReportQueue(BytesPerSecond{1'000'000}, 5, Instant{}).round(), 6400us) << "a sixteenth";
  EXPECT_EQ(ReportQueue(BytesPerSecond{400'000}, 5, Instant{}).round(), 10ms);
  EXPECT_EQ(ReportQueue(BytesPerSecond{200'000}, 5, Instant{}).round(), 16ms) << "an eighth";
}

TEST(Report, what_it_does_not_tell_of_a_message_that_it_names_is_not_taken_for_lost) {
  ScriptedNetwork network(2, {});
  network.lose = [](const Passing&) { return true; };
  network.begin_exchange(0, [](Rank from, Rank to) { return patterned(from, to, 13'000); });
  network.run_for(50ms);
  ASSERT_EQ(network[0].counters().segments_sent, 10u);

  std::array<std::byte, clear_header_bytes + status_header_bytes + status_entry_bytes + 1 + tag_bytes>
      datagram{};
  WireWriter out(datagram);
  write(out, ClearHeader{DatagramKind::status, 1, 0, network.key().tag(), 0});
  StatusHeader header;
  header.echo.packets = network[0].counters().datagrams_sent;
  header.room = 100;
  write(out, header);
  const std::array bitmap{std::byte{0b1111}};
  StatusEntry first_four;
  first_four.message = {0, Leg::messages};
  first_four.prefix_complete = true;
  first_four.bits = 4;
  first_four.segment_bytes = 1400 - data_overhead_bytes;
  first_four.bitmap = bitmap;
  write(out, first_four);
  DirectionKey sealing(network.key(), 1, 0, Cipher::chacha20_poly1305);
  sealing.seal(0, std::span(datagram).first(clear_header_bytes),
               std::span(datagram).subspan(clear_header_bytes));
  network[0].handle_datagram(datagram, network.now());
  network.flush(0);
  EXPECT_EQ(network[0].counters().datagrams_rejected, 0u);
  EXPECT_EQ(network[0].counters().segments_resent, 0u);
}

TEST(Report, what_waits_to_be_repaired_is_not_queued_again) {
  // At 5 Mbit/s 24 repairs take 55 ms, and a report comes every 5 ms.
  ExchangeOptions options;
  options.rate = megabits_per_second(5);
  ScriptedNetwork network(2, options);
  for (int i = 0; i < 5; ++i)
    superstep(network, nothing);
  int segment = -1;
  network.lose = [&](const Passing& passing) {
    return is_data(passing) && passing.header.source == 0 && ++segment >= 3 && segment < 15;
  };
  superstep(network, [](Rank from, Rank to) { return patterned(from, to, from == 0 ? 80'000 : 0); });
  EXPECT_EQ(network[0].counters().segments_resent, 24u) << "each of the lost twice";
}

TEST(Report, is_no_longer_than_the_datagrams_that_pass) {
  ExchangeOptions options;
  options.datagram_bytes = 300;
  ScriptedNetwork network(2, options);
  for (int i = 0; i < 5; ++i)
    superstep(network, nothing);
  std::size_t longest = 0;
  int segment = -1;
  network.lose = [&](const Passing& passing) {
    if (passing.header.kind == DatagramKind::status) longest = std::max(longest, passing.bytes);
    return is_data(passing) && passing.header.source == 0 && ++segment == 5;
  };
  superstep(network, [](Rank from, Rank to) { return patterned(from, to, from == 0 ? 1'000'000 : 0); });
  EXPECT_GT(longest, 290u) << "there is more to tell than one holds";
  EXPECT_LE(longest, 300u);
}

TEST(Endpoint, keeps_a_reply_that_comes_before_its_receiver_asks_for_it) {
  ScriptedNetwork network(2, {});
  superstep(network, nothing);
  std::vector<Bytes> reply(2);
  reply[0] = patterned(1, 0, 3000);
  network[1].begin_reply(reply, {0}, {}, network.now());
  network.run_for(15ms);
  network[0].begin_reply(std::vector<Bytes>(2), {}, {1}, network.now());
  EXPECT_TRUE(network[0].exchange_complete()) << "all of it has come";
  EXPECT_EQ(network[0].take_messages()[1], reply[0]);
}

}  // namespace
}  // namespace lbsp::transport::testing
