#include "lbsp/superstep/recording/recorder.hpp"

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "tests/lbsp/idle_exchange.hpp"

namespace lbsp::superstep {
namespace {

/// A backend of which only the counts matter.
class CountedExchange final : public test::IdleExchange {
 public:
  transport::TrafficCounters counters() const override { return {.datagrams_sent = sent}; }
  transport::Forecast forecast() const override { return {.most_copies = 3}; }

  std::uint64_t sent = 0;
};

TEST(Recorder, credits_a_superstep_with_what_is_sent_until_the_next_sync) {
  CountedExchange exchange;
  exchange.sent = 100;
  Recorder recorder(exchange);
  exchange.sent += 2;
  recorder.begin_sync();
  exchange.sent += 5;
  recorder.end_superstep();
  EXPECT_EQ(recorder.history().totals().traffic.datagrams_sent, 7U);
  exchange.sent += 10;
  recorder.begin_sync();
  exchange.sent += 20;
  recorder.end_superstep();
  const auto& records = recorder.history().records();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].traffic.datagrams_sent, 17U);
  EXPECT_EQ(records[1].traffic.datagrams_sent, 20U);
}

TEST(Recorder, takes_the_larger_of_what_a_sync_sends_and_receives_over_both_legs) {
  CountedExchange exchange;
  Recorder recorder(exchange);
  recorder.begin_sync();
  recorder.add_bytes(10, 4);
  recorder.add_bytes(1, 8);
  recorder.end_superstep();
  EXPECT_EQ(recorder.history().records().back().h, 12U);
  recorder.begin_sync();
  recorder.add_bytes(5, 3);
  recorder.end_superstep();
  EXPECT_EQ(recorder.history().records().back().h, 5U);
}

TEST(Recorder, shares_the_time_out_between_computing_and_the_sync) {
  using std::chrono::milliseconds;
  CountedExchange exchange;
  Recorder recorder(exchange);
  std::this_thread::sleep_for(milliseconds{3});
  recorder.begin_sync();
  std::this_thread::sleep_for(milliseconds{2});
  recorder.end_superstep();
  recorder.begin_sync();
  recorder.end_superstep();
  const auto& records = recorder.history().records();
  EXPECT_GE(records[0].compute, milliseconds{3});
  EXPECT_GE(records[0].communicate, milliseconds{2});
  EXPECT_LT(records[1].compute + records[1].communicate, records[0].compute + records[0].communicate);
  EXPECT_EQ(records[0].forecast.most_copies, 3);
}

TEST(Recorder, tells_other_threads_of_a_superstep_as_soon_as_it_is_over) {
  CountedExchange exchange;
  Recorder recorder(exchange);
  for (std::uint64_t step = 1; step <= 3; ++step) {
    recorder.begin_sync();
    exchange.sent += 5;
    EXPECT_TRUE(recorder.running_totals().sync_began);
    EXPECT_EQ(recorder.running_totals().totals.traffic.datagrams_sent, 5 * (step - 1));
    EXPECT_EQ(recorder.copy().supersteps(), step - 1);
    recorder.end_superstep();
    EXPECT_FALSE(recorder.running_totals().sync_began);
    EXPECT_EQ(recorder.running_totals().totals.traffic.datagrams_sent, 5 * step);
    EXPECT_EQ(recorder.copy().supersteps(), step);
    EXPECT_EQ(recorder.copy().totals().traffic.datagrams_sent, 5 * step);
  }
  EXPECT_EQ(recorder.history().supersteps(), 3U);
  EXPECT_EQ(recorder.copy().supersteps(), 3U) << "what is filed counts once";
}

TEST(Recorder, never_counts_twice_or_not_at_all_for_another_thread) {
  constexpr std::uint64_t supersteps = 20'000;
  CountedExchange exchange;
  Recorder recorder(exchange);
  std::atomic<bool> over = false;
  std::thread other([&] {
    std::uint64_t least = 0;
    while (!over) {
      const RunningTotals seen = recorder.running_totals();
      EXPECT_GE(seen.totals.h, least);
      EXPECT_LE(seen.totals.h, 10 * supersteps);
      EXPECT_EQ(seen.totals.h % 10, 0U);
      least = seen.totals.h;
      const History copy = recorder.copy();
      EXPECT_EQ(copy.totals().h, 10 * copy.supersteps());
      EXPECT_GE(copy.totals().h, least);
      least = copy.totals().h;
    }
  });
  for (std::uint64_t step = 0; step < supersteps; ++step) {
    recorder.begin_sync();
    recorder.add_bytes(10, 3);
    recorder.end_superstep();
    if (step % 3 == 0) {
      EXPECT_EQ(recorder.history().supersteps(), step + 1);
    }
  }
  over = true;
  other.join();
  EXPECT_EQ(recorder.history().totals().h, 10 * supersteps);
}

TEST(Recorder, counts_the_end_of_the_job_in_the_totals_alone) {
  CountedExchange exchange;
  Recorder recorder(exchange);
  recorder.begin_sync();
  recorder.end_superstep();
  recorder.begin_sync();
  exchange.sent += 4;
  recorder.end_job();
  EXPECT_EQ(recorder.history().supersteps(), 1U);
  EXPECT_EQ(recorder.history().totals().traffic.datagrams_sent, 4U);
  EXPECT_EQ(recorder.copy().records().size(), 1U);
}

}  // namespace
}  // namespace lbsp::superstep
