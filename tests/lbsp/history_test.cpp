#include "lbsp/history.hpp"

#include <gtest/gtest.h>

namespace lbsp {
namespace {

SuperstepFigures figures(double compute, std::uint64_t h) {
  SuperstepFigures result;
  result.compute = Seconds(compute);
  result.communicate = Seconds(2 * compute);
  result.h = h;
  result.traffic.datagrams_sent = h;
  return result;
}

TEST(History, keeps_the_first_supersteps_and_the_totals_of_all) {
  History history(2);
  for (int i = 0; i < 5; ++i)
    history.add(figures(0.5, 10));
  EXPECT_EQ(history.records().size(), 2U);
  EXPECT_EQ(history.supersteps(), 5U);
  EXPECT_DOUBLE_EQ(history.totals().compute.count(), 2.5);
  EXPECT_DOUBLE_EQ(history.totals().communicate.count(), 5);
  EXPECT_EQ(history.totals().h, 50U);
  EXPECT_EQ(history.totals().traffic.datagrams_sent, 50U);
}

TEST(History, credits_what_came_late_to_the_last_superstep_if_that_is_kept) {
  History history(2);
  history.add(figures(1, 10));
  history.credit_last(figures(1, 5).traffic);
  EXPECT_EQ(history.records().back().traffic.datagrams_sent, 15U);
  history.add(figures(1, 10));
  history.add(figures(1, 10));
  history.credit_last(figures(1, 7).traffic);
  EXPECT_EQ(history.records().back().traffic.datagrams_sent, 10U);
  EXPECT_EQ(history.totals().traffic.datagrams_sent, 42U);
}

TEST(History, sums_forecasts_up_and_keeps_the_most_copies) {
  History history;
  for (const int copies : {1, 3, 2}) {
    SuperstepFigures one = figures(1, 1);
    one.forecast = {.duration = std::chrono::milliseconds{10}, .most_copies = copies};
    history.add(one);
  }
  EXPECT_EQ(history.totals().forecast.duration, std::chrono::milliseconds{30});
  EXPECT_EQ(history.totals().forecast.most_copies, 3);
}

TEST(History, counts_the_end_in_the_totals_but_not_as_a_superstep) {
  History history;
  history.add(figures(1, 1));
  history.add_end(figures(1, 1));
  EXPECT_EQ(history.supersteps(), 1U);
  EXPECT_EQ(history.records().size(), 1U);
  EXPECT_DOUBLE_EQ(history.totals().compute.count(), 2);
}

}  // namespace
}  // namespace lbsp
