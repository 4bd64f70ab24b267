#include "transport/peers/timers.hpp"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "tests/transport/start.hpp"
#include "transport/peers/alarm.hpp"
#include "transport/peers/peers.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

EndpointConfig three_ranks() {
  EndpointConfig config;
  config.size = 3;
  return config;
}

class AlarmTest : public ::testing::Test {
 protected:
  using Struck = std::vector<std::pair<Rank, Timer>>;

  Struck strike(Instant now) {
    Struck struck;
    alarm_.strike(
        now, [](Rank) {}, [&](Rank rank, Timer timer) { struck.emplace_back(rank, timer); });
    return struck;
  }

  Peers peers_{three_ranks(), start};
  Alarm alarm_{peers_};
};

TEST(TimerTable, the_first_is_of_those_that_are_not_idle) {
  TimerTable timers;
  EXPECT_EQ(timers.first({}), never);
  timers.set(Timer::report, start + 1ms);
  timers.set(Timer::probe, start + 2ms);
  EXPECT_EQ(timers.first({}), start + 1ms);
  EXPECT_EQ(timers.first({Timer::report}), start + 2ms);
  EXPECT_EQ(timers.first({Timer::report, Timer::probe}), never);
}

TEST(TimerTable, bringing_forward_puts_nothing_off) {
  TimerTable timers;
  timers.bring_forward(Timer::report, start + 2ms);
  timers.bring_forward(Timer::report, start + 3ms);
  EXPECT_EQ(timers.at(Timer::report), start + 2ms);
  timers.clear(Timer::report);
  EXPECT_EQ(timers.at(Timer::report), never);
}

TEST_F(AlarmTest, a_timer_strikes_once_and_not_before_its_time) {
  alarm_.set(2, Timer::probe, start + 5ms);
  EXPECT_EQ(alarm_.next(), start + 5ms);
  EXPECT_EQ(strike(start + 4ms), Struck{});
  EXPECT_EQ(strike(start + 5ms), (Struck{{2, Timer::probe}}));
  EXPECT_EQ(strike(start + 1h), Struck{});
  EXPECT_EQ(alarm_.next(), never);
}

TEST_F(AlarmTest, a_timer_that_was_put_off_strikes_at_its_new_time) {
  alarm_.set(1, Timer::keepalive, start + 5ms);
  alarm_.set(1, Timer::keepalive, start + 9ms);
  EXPECT_EQ(strike(start + 5ms), Struck{});
  EXPECT_EQ(alarm_.next(), start + 9ms);
  EXPECT_EQ(strike(start + 9ms), (Struck{{1, Timer::keepalive}}));
}

TEST_F(AlarmTest, a_timer_that_was_cleared_does_not_strike) {
  alarm_.set(1, Timer::report, start + 5ms);
  alarm_.clear(1, Timer::report);
  EXPECT_EQ(strike(start + 1h), Struck{});
}

TEST_F(AlarmTest, the_timers_of_one_peer_strike_in_the_order_of_the_table) {
  alarm_.set(1, Timer::keepalive, start + 1ms);
  alarm_.set(1, Timer::probe, start + 3ms);
  alarm_.set(1, Timer::farewell, start + 2ms);
  EXPECT_EQ(strike(start + 3ms), (Struck{{1, Timer::farewell}, {1, Timer::probe}, {1, Timer::keepalive}}));
}

TEST_F(AlarmTest, what_a_report_is_for_waits_while_one_is_queued) {
  alarm_.set(1, Timer::acknowledge, start + 1ms);
  peers_[1].report.queued = true;
  EXPECT_EQ(strike(start + 1h), Struck{});
  peers_[1].report.queued = false;
  alarm_.reschedule(1);
  EXPECT_EQ(strike(start + 1h), (Struck{{1, Timer::acknowledge}}));
}

TEST_F(AlarmTest, nothing_is_said_to_a_peer_that_has_left_but_the_farewell_goes_on) {
  for (const Timer timer : {Timer::probe, Timer::report, Timer::keepalive, Timer::farewell})
    alarm_.set(2, timer, start + 1ms);
  peers_[2].parting.finished = true;
  EXPECT_EQ(strike(start + 1h), (Struck{{2, Timer::farewell}}));
}

TEST_F(AlarmTest, refreshing_puts_off_what_was_set_too_early) {
  alarm_.set(1, Timer::silence, start + 1s);
  int refreshed = 0;
  const auto put_off = [&](Rank rank) {
    ++refreshed;
    peers_[rank].timers.set(Timer::silence, start + 3s);
  };
  alarm_.strike(start + 1s, put_off, [](Rank, Timer) { FAIL() << "it was put off"; });
  EXPECT_EQ(refreshed, 1);
  EXPECT_EQ(alarm_.next(), start + 3s);
}

TEST_F(AlarmTest, a_timer_may_be_set_again_by_what_it_brings_about) {
  alarm_.set(1, Timer::probe, start + 1s);
  alarm_.strike(
      start + 1s, [](Rank) {}, [&](Rank rank, Timer timer) { alarm_.set(rank, timer, start + 2s); });
  EXPECT_EQ(alarm_.next(), start + 2s);
}

TEST_F(AlarmTest, nothing_strikes_after_it_was_stopped_by_what_struck_first) {
  for (const Rank rank : {1, 2}) {
    alarm_.set(rank, Timer::silence, start + 1s);
    alarm_.set(rank, Timer::probe, start + 1s);
  }
  int struck = 0;
  alarm_.strike(
      start + 1s, [](Rank) {},
      [&](Rank, Timer) {
        ++struck;
        alarm_.stop();
      });
  EXPECT_EQ(struck, 1);
  alarm_.set(1, Timer::probe, start + 2s);
  EXPECT_EQ(alarm_.next(), never);
}

}  // namespace
}  // namespace lbsp::transport
