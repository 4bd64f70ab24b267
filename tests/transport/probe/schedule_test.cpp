#include "transport/probe/schedule.hpp"

#include <gtest/gtest.h>

namespace lbsp::transport::probe {
namespace {

using std::chrono::milliseconds;
using transport::megabits_per_second;

TEST(LossSchedule, sends_every_size_as_often_as_asked_in_order_of_time) {
  const LossSchedule schedule(
      {plan_size(64, 100, megabits_per_second(40)), plan_size(64'000, 31, megabits_per_second(40))}, 3);
  std::array<int, 2> counts{};
  auto last = transport::Duration{-1};
  for (const auto& departure : schedule.departures()) {
    EXPECT_GE(departure.time, last);
    last = departure.time;
    ++counts[departure.size];
  }
  EXPECT_EQ(counts, (std::array<int, 2>{100, 31}));
}

TEST(LossSchedule, stays_below_the_rate_on_average) {
  for (const std::uint32_t bytes : {64U, 1400U, 8192U, 64'000U}) {
    for (const double megabits : {0.5, 10.0, 40.0}) {
      const auto plan = plan_size(bytes, 600, megabits_per_second(megabits));
      const double seconds = std::chrono::duration<double>(length_of(plan)).count();
      EXPECT_LE(600.0 * bytes * 8 / seconds, megabits * 1e6 * 1.03) << bytes;
    }
  }
}

TEST(LossSchedule, has_pairs_at_every_spacing) {
  for (const std::uint32_t bytes : {64U, 25'600U}) {
    const LossSchedule schedule({plan_size(bytes, 120, megabits_per_second(40))}, 1);
    const std::vector<bool> none(schedule.departures().size(), false);
    const auto summaries = summarise(schedule, none);
    for (const auto& copies : summaries.at(0).copies) {
      EXPECT_GE(copies.first_lost, 20U) << bytes;
      EXPECT_EQ(copies.first_lost, copies.both_lost);
    }
  }
}

TEST(LossSummary, counts_losses_and_their_runs_within_a_block) {
  const LossSchedule schedule({{64, 9, LossSchedule::dense_period_microseconds}}, 1);
  // Departures at 0 0 1 | 5 5 6 | 10 10 11 ms.
  const std::vector<bool> arrived{false, false, true, true, false, true, true, true, false};
  const auto summary = summarise(schedule, arrived).at(0);
  EXPECT_EQ(summary.sent, 9U);
  EXPECT_EQ(summary.lost, 4U);
  EXPECT_EQ(summary.runs, 3U);
  EXPECT_DOUBLE_EQ(summary.burst(), 4.0 / 3);
  // Back to back: only the first pair's first was lost, and its second too.
  EXPECT_EQ(summary.copies[0].first_lost, 1U);
  EXPECT_EQ(summary.copies[0].both_lost, 1U);
}

TEST(LossSummary, does_not_join_runs_of_different_blocks) {
  const LossSchedule schedule(
      {{64, 3, LossSchedule::dense_period_microseconds}, {512, 3, LossSchedule::dense_period_microseconds}},
      1);
  const auto summaries = summarise(schedule, {true, true, false, false, true, true});
  EXPECT_EQ(summaries.at(0).runs, 1U);
  EXPECT_EQ(summaries.at(1).runs, 1U);
}

TEST(LossSummary, without_losses_has_runs_of_one) {
  EXPECT_EQ(LossSummary{}.burst(), 1);
}

}  // namespace
}  // namespace lbsp::transport::probe
