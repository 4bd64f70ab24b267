#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

#include "tests/lbsp/plan/marking_link.hpp"

/// What becomes of jobs behind links that mark.
namespace lbsp::plan {
namespace {

using EcnFault = transport::FaultPlan::EcnFault;

constexpr double marking_megabits = MarkingLink::link_megabits;

double without_marks(MarkingLink of) {
  of.marks = false;
  return behind(of).megabits[0];
}

TEST(MarkingLinks, a_rate_is_found_without_drops_and_the_queue_is_short) {
  for (const double told : {0., 100.}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const BehindMarkingLink alone = behind({.told = told}, seed);
      EXPECT_GT(alone.megabits[0], 0.9 * marking_megabits) << told;
      EXPECT_LT(alone.late_queue, 8) << told;
      EXPECT_LT(alone.drops, 0.001) << told;
      EXPECT_GT(alone.marks, 0) << told;
    }
  }
}

TEST(MarkingLinks, marks_at_a_queue_that_no_delay_shows_lower_the_rate) {
  const BehindMarkingLink alone = behind({.mark_bytes = 6 << 10});
  EXPECT_GT(alone.megabits[0], 0.85 * marking_megabits);
  EXPECT_LT(alone.late_queue, 8);
}

/// Without marks, delays that vary hide the queue, until it drops.
TEST(MarkingLinks, a_rate_is_found_where_delays_vary) {
  const BehindMarkingLink alone = behind({.wan = "rtt=70ms,jitter=10ms"});
  EXPECT_GT(alone.megabits[0], 0.8 * marking_megabits);
  EXPECT_LT(alone.drops, 0.001);
}

TEST(MarkingLinks, random_loss_does_not_matter) {
  const BehindMarkingLink alone = behind({.wan = "rtt=40ms,loss=10%"});
  EXPECT_GT(alone.megabits[0], 0.9 * without_marks({.wan = "rtt=40ms,loss=10%"}));
  EXPECT_LT(alone.drops, 0.001);
}

TEST(MarkingLinks, four_jobs_share_one_without_drops) {
  const BehindMarkingLink four = behind({.jobs = 4});
  EXPECT_GT(std::ranges::min(four.megabits), 4) << "12.5 are its share";
  EXPECT_LT(four.drops, 0.01);
  EXPECT_LT(four.late_queue, 20);
}

/// What a single one gets is chance, 2.5 to 11, and some see no queue before it drops.
TEST(MarkingLinks, four_jobs_share_one_with_few_drops_whatever_the_round_trip) {
  double least = 0;  // in the mean, as the drops
  double drops = 0;
  double late_queue = 0;
  constexpr int paths = 8;
  for (int i = 0; i < paths; ++i) {
    const std::string wan = fmt::format("rtt={}ms", 30 + 2 * i);
    const BehindMarkingLink four = behind({.wan = wan.c_str(), .jobs = 4});
    least += std::ranges::min(four.megabits) / paths;
    EXPECT_GT(std::ranges::min(four.megabits), 2) << wan;
    drops += four.drops / paths;
    late_queue += four.late_queue / paths;
  }
  EXPECT_GT(least, 5.5);
  EXPECT_LT(late_queue, 20);
  EXPECT_LT(drops, 0.02);
}

TEST(MarkingLinks, a_path_that_clears_or_sets_all_marks_or_a_host_that_does_not_tell_is_as_one_without) {
  const double without = without_marks({});
  for (const EcnFault fault : {EcnFault::cleared, EcnFault::all_marked, EcnFault::not_told})
    EXPECT_GT(behind({.fault = fault}).megabits[0], 0.99 * without) << static_cast<int>(fault);
}

TEST(MarkingLinks, one_that_marks_whatever_waits_at_all_still_carries) {
  EXPECT_GT(behind({.mark_bytes = 0}).megabits[0], 0.85 * marking_megabits);
}

}  // namespace
}  // namespace lbsp::plan
