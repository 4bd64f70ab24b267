#include "transport/core/control.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/transport/room_state.hpp"

/// What is said at the end.
namespace lbsp::transport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace testing;

class ControlTest : public ::testing::Test {
 protected:
  std::vector<Opened> said(Instant now) {
    std::vector<Opened> list;
    Bytes buffer(1400);
    while (const auto written = control_.next(buffer, now))
      list.push_back(open(room_.state.config, std::span(buffer).first(written->bytes)));
    return list;
  }
  std::vector<Rank> told(Instant now) {
    std::vector<Rank> ranks;
    for (const Opened& each : said(now))
      ranks.push_back(each.header.destination);
    return ranks;
  }

  RoomState<ReceiverDriven> room_{3};
  Control control_{room_.state, room_.writer};
};

TEST_F(ControlTest, fin_goes_out_at_once_and_says_whether_the_peers_was_heard) {
  room_.other.parting.finished = true;
  control_.say_fin(1);
  control_.say_fin(2);
  const auto fins = said(start);
  ASSERT_EQ(fins.size(), 2u);
  for (const Opened& fin : fins) {
    EXPECT_EQ(fin.header.kind, DatagramKind::fin);
    WireReader in = fin.reader();
    EXPECT_EQ(read_fin_header(in)->heard, fin.header.destination == 1);
  }
  EXPECT_THAT(said(start + 1s), IsEmpty());
}

TEST_F(ControlTest, a_long_reason_is_told_whole_and_the_last_time_in_a_short_datagram) {
  const std::string reason(500, 'x');
  const auto text_of = [](const Opened& abort) {
    WireReader in = abort.reader();
    return read_abort_notice(in)->text;
  };
  control_.fail({AbortReason::program, 0, 4, 0, reason}, start);
  for (const Duration after : {0ms, 5ms}) {
    for (const Opened& abort : said(start + after))
      EXPECT_EQ(text_of(abort), reason);
  }
  Bytes buffer(1400);
  const auto* last = control_.next(buffer, start + 20ms);
  ASSERT_TRUE(last);
  EXPECT_LE(last->bytes, min_datagram_bytes);
  EXPECT_GE(last->bytes, min_datagram_bytes - 16);
  const Opened abort = open(room_.state.config, std::span(buffer).first(last->bytes));
  EXPECT_THAT(text_of(abort), ::testing::EndsWith("x... (500 bytes in all)"));
}

TEST_F(ControlTest, no_reason_is_longer_than_what_a_datagram_holds) {
  control_.fail({AbortReason::program, 0, 4, 0, std::string(5000, 'x')}, start);
  for (const Opened& abort : said(start)) {
    WireReader in = abort.reader();
    EXPECT_THAT(read_abort_notice(in)->text, ::testing::EndsWith("x... (5000 bytes in all)"));
  }
}

TEST_F(ControlTest, abort_is_said_three_times_to_each) {
  control_.fail({AbortReason::program, 0, 4, 0, "the matrix is singular"}, start);
  EXPECT_THAT(told(start), ElementsAre(1, 2));
  EXPECT_EQ(control_.next_release(), start + 5ms);
  EXPECT_THAT(told(start + 4ms), IsEmpty());
  EXPECT_THAT(told(start + 5ms), ElementsAre(1, 2));
  EXPECT_THAT(told(start + 20ms), ElementsAre(1, 2));
  EXPECT_EQ(control_.next_release(), never);
}

TEST_F(ControlTest, abort_tells_what_this_rank_takes_for_the_reason) {
  control_.fail({AbortReason::program, 0, 4, 0, "the matrix is singular"}, start);
  const auto notices = said(start);
  ASSERT_FALSE(notices.empty());
  WireReader in = notices[0].reader();
  const auto notice = read_abort_notice(in);
  ASSERT_TRUE(notice);
  EXPECT_EQ(notice->reason, AbortReason::program);
  EXPECT_EQ(notice->superstep, 4u);
  EXPECT_EQ(notice->text, "the matrix is singular");
  ASSERT_TRUE(control_.failure());
  EXPECT_THAT(control_.failure()->message, HasSubstr("rank 0 ended the job: the matrix is singular"));
}

TEST_F(ControlTest, no_timer_strikes_after_a_failure) {
  room_.state.alarm.set(1, Timer::probe, start + 1s);
  room_.state.alarm.set_round(start + 1s);
  EXPECT_FALSE(control_.failure());
  control_.fail({AbortReason::peer_lost, 2, 0, 0, ""}, start);
  EXPECT_EQ(room_.state.alarm.next(), never);
}

}  // namespace
}  // namespace lbsp::transport
