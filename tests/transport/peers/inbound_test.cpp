#include "transport/peers/inbound.hpp"

#include <gtest/gtest.h>

#include "tests/transport/start.hpp"
#include "transport/paths/loss_estimate.hpp"

/// What the numbers of a peer's datagrams tell of those that have not come.
namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr Duration round_trip = 80ms;

class InboundTest : public ::testing::Test {
 protected:
  /// Whether data were found missing. `questions`: so many of the datagrams before it were of kind SIZE.
  bool enter(std::uint64_t packet, std::uint8_t questions = 0, Instant now = start,
             DatagramKind kind = DatagramKind::data) {
    return inbound_.enter({kind, 1, 0, 0, packet, questions}, 1000, round_trip, now);
  }
  double loss() const { return from_fraction(inbound_.loss.report().loss); }

  Inbound inbound_{.opening = {JobKey{}, 1, 0, Cipher::chacha20_poly1305}, .last_heard = start};
};

TEST_F(InboundTest, a_gap_is_told_when_it_opens_and_not_when_it_closes) {
  EXPECT_FALSE(enter(0));
  EXPECT_TRUE(enter(2));
  EXPECT_FALSE(enter(1));
  EXPECT_FALSE(enter(3));
}

TEST_F(InboundTest, questions_that_do_not_arrive_are_no_loss) {
  enter(0);
  EXPECT_FALSE(enter(4, 3));
  EXPECT_EQ(inbound_.unanswered, 3u);
  EXPECT_EQ(loss(), 0);
}

TEST_F(InboundTest, what_is_missing_before_the_questions_is_lost) {
  enter(0);
  EXPECT_TRUE(enter(5, 2));
  EXPECT_EQ(inbound_.unanswered, 2u);
  EXPECT_NEAR(loss(), 2. / 4, 0.001) << "numbers 1 and 2 of 0, 1, 2 and 5";
}

TEST_F(InboundTest, a_question_that_arrives_late_was_no_loss_before) {
  enter(0);
  enter(4, 3);
  enter(6);
  EXPECT_NEAR(loss(), 1. / 4, 0.001);
  enter(2, 0, start, DatagramKind::size);
  EXPECT_EQ(inbound_.unanswered, 2u);
  EXPECT_NEAR(loss(), 1. / 4, 0.001);
}

/// Data of so many bytes; those of InboundTest are as long as a whole segment makes them.
void enter_short(Inbound& inbound, std::uint64_t packet) {
  inbound.enter({DatagramKind::data, 1, 0, 0, packet, 0}, 100, round_trip, start);
}

TEST_F(InboundTest, what_was_lost_since_a_long_datagram_arrived_was_too_long_if_segments_become_shorter) {
  inbound_.cut(1000);
  enter(0);
  enter(2);
  const double before = loss();
  enter_short(inbound_, 10);
  EXPECT_GT(loss(), before);
  inbound_.cut(548);
  EXPECT_EQ(loss(), before);
  EXPECT_EQ(inbound_.missing(), 1u);
  enter_short(inbound_, 4);
  EXPECT_EQ(inbound_.missing(), 0u) << "what comes late after all is none too many";
}

TEST_F(InboundTest, segments_that_are_shorter_from_the_beginning_tell_of_a_path_below_the_first_length) {
  inbound_.long_arrival.bytes = 1200;
  enter(0);
  enter(9);
  inbound_.cut(972);
  EXPECT_EQ(inbound_.missing(), 0u);
  EXPECT_EQ(loss(), 0);
}

TEST_F(InboundTest, segments_that_are_longer_or_shorter_by_choice_tell_nothing) {
  enter(0);
  enter(4);
  for (const std::size_t whole : {1200u, 8972u, 1472u}) {
    inbound_.cut(whole);
    EXPECT_EQ(inbound_.missing(), 3u) << whole;
  }
}

TEST_F(InboundTest, data_that_arrive_late_are_no_questions) {
  enter(0);
  enter(4, 3);
  enter(6);
  enter(5);
  EXPECT_EQ(inbound_.unanswered, 3u);
  EXPECT_EQ(loss(), 0);
}

TEST_F(InboundTest, where_datagrams_overtake_each_other_one_is_lost_when_it_has_not_come_for_a_while) {
  enter(0);
  enter(2);
  enter(1, 0, start + 8ms);
  enter(4, 0, start + 20ms);
  EXPECT_EQ(loss(), 0) << "number 3 may be 10 ms late";
  enter(5, 0, start + 31ms);
  EXPECT_NEAR(loss(), 1. / 6, 0.001);
}

/// The round trip of whoever sent it does not have that.
TEST_F(InboundTest, what_waited_for_a_process_that_did_not_run_was_held_for_so_long) {
  Arrival arrival{start + 4s, Ecn::unknown, 3s};
  arrival.slept = 3s;
  inbound_.enter({DatagramKind::data, 1, 0, 0, 0, 0}, 1000, round_trip, arrival);
  inbound_.make_echo(start + 4s + 2ms);
  EXPECT_EQ(inbound_.told.hold_microseconds, 3'002'000u);
  EXPECT_EQ(inbound_.newest_arrived_at, start + 1s);
  EXPECT_EQ(inbound_.last_heard, start + 4s);
  enter(1, 0, start + 5s);
  inbound_.make_echo(start + 5s + 1ms);
  EXPECT_EQ(inbound_.told.hold_microseconds, 1000u);
}

TEST_F(InboundTest, what_waited_while_the_process_was_busy_was_not_held) {
  inbound_.enter({DatagramKind::data, 1, 0, 0, 0, 0}, 1000, round_trip, {start + 4s, Ecn::unknown, 30ms});
  inbound_.make_echo(start + 4s + 2ms);
  EXPECT_EQ(inbound_.told.hold_microseconds, 2000u);
}

}  // namespace
}  // namespace lbsp::transport
