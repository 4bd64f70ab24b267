#include "transport/probe/rate_search.hpp"

#include <gtest/gtest.h>

namespace lbsp::transport::probe {
namespace {

using transport::Duration;
using transport::megabits_per_second;

/// A path without loss that takes `rate` bytes a second and never drops.
TrainSeen patient_path(const TrainPlan& plan, double rate) {
  const double out = std::min(rate, plan.rate());
  const double gap = plan.bytes * 1e9 / out;
  TrainSeen seen;
  seen.received = plan.count;
  seen.last = plan.count - 1;
  seen.span = Duration{static_cast<Duration::rep>(gap * (plan.count - 1))};
  seen.neighbours = plan.count - 1;
  seen.between = seen.span;
  seen.growth = Duration{static_cast<Duration::rep>((gap - plan.gap_nanoseconds) * plan.count * 2 / 3)};
  return seen;
}

TrainSent all_sent(const TrainPlan& plan) {
  return {plan.count, Duration{static_cast<Duration::rep>(plan.gap_nanoseconds) * (plan.count - 1)}};
}

TEST(RateSearch, finds_where_a_queue_grows) {
  for (const double megabits : {1.5, 7.0, 100.0, 400.0}) {
    RateSearch search({1400, megabits_per_second(1), megabits_per_second(1000), std::nullopt, 2});
    int trains = 0;
    while (const auto plan = search.next()) {
      search.take(all_sent(*plan), patient_path(*plan, megabits * 1e6 / 8));
      ++trains;
    }
    EXPECT_NEAR(search.bandwidth().value, megabits * 1e6 / 8, 0.02 * megabits * 1e6 / 8);
    EXPECT_FALSE(search.limited_by_sender());
    EXPECT_LE(trains, RateSearch::most_trains);
  }
}

TEST(RateSearch, never_asks_for_more_than_its_limit_and_says_that_the_path_may_take_more) {
  RateSearch search({1400, megabits_per_second(1), megabits_per_second(50), std::nullopt, 2});
  while (const auto plan = search.next()) {
    EXPECT_LE(plan->rate(), 50e6 / 8 * 1.01);
    search.take(all_sent(*plan), patient_path(*plan, 1e9));
  }
  EXPECT_NEAR(search.bandwidth().value, 50e6 / 8, 0.02 * 50e6 / 8);
  EXPECT_TRUE(search.limited_by_sender());
}

TEST(RateSearch, gives_up_a_path_from_which_nothing_comes) {
  RateSearch search({64'000, megabits_per_second(1), megabits_per_second(50), 0.0, 2});
  int trains = 0;
  while (const auto plan = search.next()) {
    search.take(all_sent(*plan), {});
    ++trains;
  }
  EXPECT_EQ(trains, 3);
  EXPECT_EQ(search.bandwidth().value, 0);
}

TEST(RateSearch, ends_when_the_sender_does_not_keep_up) {
  RateSearch search({64, megabits_per_second(8), megabits_per_second(1000), 0.0, 2});
  while (const auto plan = search.next()) {
    auto sent = all_sent(*plan);
    const double slowest = plan->count * 64 / 2e6;  // 2 MB/s is what this host can do
    sent.span = std::max(sent.span, Duration{static_cast<Duration::rep>(slowest * 1e9)});
    auto seen = patient_path(*plan, 1e9);
    seen.span = sent.span;
    search.take(sent, seen);
  }
  EXPECT_NEAR(search.bandwidth().value, 2e6, 0.1e6);
  EXPECT_TRUE(search.limited_by_sender());
}

}  // namespace
}  // namespace lbsp::transport::probe
