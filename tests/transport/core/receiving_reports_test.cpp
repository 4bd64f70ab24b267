#include <chrono>
#include <gtest/gtest.h>
#include <span>

#include "tests/transport/core/receiving_room.hpp"

/// What reports, questions and FINs tell, and what answers they call for.
namespace lbsp::transport {
namespace {

using testing::first;

using namespace testing;

TEST_F(ReceivingTest, a_report_tells_of_the_peer_and_of_what_has_arrived_there) {
  room_.send();
  StatusHeader status;
  status.position = {0, Leg::replies};
  status.room = 17;
  status.echo.packets = 1;
  take(DatagramKind::status, 0, status);
  EXPECT_EQ(counters().datagrams_rejected, 0u);
  EXPECT_EQ(room_.other.echoed.packets, 1u);
  EXPECT_FALSE(room_.other.outbound.flight.reached(17, 1, 0, true));
  EXPECT_TRUE(room_.other.outbound.flight.reached(18, 1, 0, true));
  EXPECT_TRUE(room_.other.outbound.messages.empty()) << "it is beyond this leg, so it has its message";
}

TEST_F(ReceivingTest, data_and_gaps_call_for_reports_and_reports_do_not) {
  take(DatagramKind::status, 0, StatusHeader{});
  EXPECT_EQ(room_.other.timers.at(Timer::report), never);
  take(data(1));
  EXPECT_NE(room_.other.timers.at(Timer::report), never);
}

TEST_F(ReceivingTest, a_peer_that_says_fin_needs_nothing_more_and_gets_an_answer) {
  room_.send();
  room_.other.outbound.held_back.push_back({1, first, 0, 0});
  room_.other.path.sizes.begin_trial(1400);  // so that they wait
  FinHeader fin;
  fin.echo.packets = 1;
  take(DatagramKind::fin, 0, fin);
  EXPECT_EQ(counters().datagrams_rejected, 0u);
  EXPECT_EQ(room_.other.echoed.packets, 1u);
  EXPECT_TRUE(room_.other.outbound.messages.empty());
  EXPECT_TRUE(room_.other.outbound.held_back.empty());
  EXPECT_TRUE(room_.other.parting.finished);
  EXPECT_EQ(room_.fins.size(), 1u);
}

TEST_F(ReceivingTest, whoever_sends_data_or_reports_has_not_heard_this_ranks_fin) {
  room_.other.parting.said = 1;
  take(DatagramKind::size, 0, SizeHeader{});
  EXPECT_TRUE(room_.fins.empty()) << "a question may have been on its way";
  take(DatagramKind::status, 1, StatusHeader{});
  EXPECT_EQ(room_.fins.size(), 1u);
  take(data(2), start + 1s);
  EXPECT_EQ(room_.fins.size(), 2u);
}

TEST_F(ReceivingTest, a_question_of_its_own_length_is_answered_and_tells_what_has_arrived) {
  Peer& other = room_.other;
  for (const std::size_t bytes : {1400u, 100u}) {
    other.path.narrow.sent(other.outbound.next_packet, bytes);
    other.path.times.sent(other.outbound.next_packet++, start, 1, bytes);
  }
  SizeHeader question;
  question.echo.packets = 2;
  question.datagram_bytes = clear_header_bytes + size_header_bytes + tag_bytes;
  take(DatagramKind::size, 0, question);
  EXPECT_EQ(counters().datagrams_rejected, 0u);
  EXPECT_TRUE(sizes_.ready(start));
  EXPECT_EQ(other.echoed.packets, 2u);
  EXPECT_EQ(sizes_.take_doubtful().size(), 1u) << "the longer of the two has not arrived";
  ++question.datagram_bytes;
  take(DatagramKind::size, 1, question);
  EXPECT_EQ(counters().datagrams_rejected, 1u);
}

/// So that how far apart they have come is known of each.
TEST_F(ReceivingTest, questions_that_are_read_together_are_answered_by_when_each_of_them_came) {
  SizeHeader question;
  question.datagram_bytes = clear_header_bytes + size_header_bytes + tag_bytes;
  constexpr int count = 4;
  for (int i = 0; i < count; ++i) {
    Bytes datagram = sealed(room_.state.config, header(DatagramKind::size, static_cast<std::uint64_t>(i)),
                            [&](WireWriter& out) { write(out, question); });
    receiving_.take(datagram, {start + 1s, Ecn::unknown, (count - i) * 10ms});
  }
  Bytes buffer(1500);
  for (int i = 0; i < count; ++i) {
    const auto* answer = sizes_.next_urgent(buffer, start + 1s + 3ms);
    ASSERT_NE(answer, nullptr);
    const Opened opened = open(room_.state.config, std::span(buffer).first(answer->bytes));
    WireReader in = opened.reader();
    const auto told = read_size_header(in);
    ASSERT_TRUE(told);
    EXPECT_TRUE(told->answer);
    EXPECT_EQ(told->echo.packets, static_cast<std::uint64_t>(i) + 1);
    EXPECT_EQ(told->echo.arrived, static_cast<std::uint32_t>(i) + 1);
    EXPECT_EQ(told->echo.hold_microseconds, 3000u);
    const Instant came = start + 1s - (count - i) * 10ms;
    EXPECT_EQ(told->echo.arrival_microseconds, came.time_since_epoch() / 1us) << "of 24 bits";
  }
}

TEST_F(ReceivingTest, of_all_but_questions_counts_when_they_were_read) {
  Bytes datagram = data(0);
  receiving_.take(datagram, {start + 1s, Ecn::unknown, 10ms});
  EXPECT_EQ(room_.other.inbound.newest_arrived_at, start + 1s);
}

TEST_F(ReceivingTest, of_a_report_that_others_have_overtaken_the_grant_does_not_count) {
  StatusHeader report;
  report.granted = BytesPerSecond{64e6};
  take(DatagramKind::status, 7, report);
  ASSERT_TRUE(room_.other.path.rate.granted());
  report.granted.reset();
  take(sealed(room_.state.config, header(DatagramKind::status, 6),
              [&](WireWriter& out) { write(out, report); }),
       start + 1ms);
  EXPECT_TRUE(room_.other.path.rate.granted());
  take(sealed(room_.state.config, header(DatagramKind::status, 8),
              [&](WireWriter& out) { write(out, report); }),
       start + 2ms);
  EXPECT_FALSE(room_.other.path.rate.granted());
}

}  // namespace
}  // namespace lbsp::transport
