#include "lbsp/trace/history.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <vector>

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

SuperstepFigures sum_of(const SuperstepRecords& records) {
  SuperstepFigures sum;
  for (const SuperstepFigures& record : records)
    sum += record;
  return sum;
}

TEST(History, keeps_supersteps_one_by_one_as_long_as_they_are_few) {
  History history(4);
  for (std::uint64_t h = 1; h <= 4; ++h)
    history.add(figures(0.5, h));
  ASSERT_EQ(history.records().size(), 4U);
  EXPECT_EQ(history.supersteps_each(), 1U);
  EXPECT_EQ(history.supersteps_in_last(), 1U);
  EXPECT_EQ(history.records()[2].h, 3U);
}

TEST(History, joins_neighbours_when_there_are_too_many) {
  History history(4);
  std::vector<std::uint64_t> expected;
  for (std::uint64_t h = 1; h <= 11; ++h)
    history.add(figures(0.5, h));
  for (const SuperstepFigures& record : history.records())
    expected.push_back(record.h);
  EXPECT_EQ(history.supersteps_each(), 4U);
  EXPECT_EQ(history.supersteps_in_last(), 3U);
  EXPECT_EQ(expected, (std::vector<std::uint64_t>{1 + 2 + 3 + 4, 5 + 6 + 7 + 8, 9 + 10 + 11}));
}

TEST(History, adds_up_after_any_number_of_supersteps_whatever_it_keeps_at_most) {
  for (const std::size_t most : {1U, 2U, 3U, 5U, 8U}) {
    History history(most);
    for (std::uint64_t h = 1; h <= 100; ++h) {
      history.add(figures(0.5, h));
      history.credit_last(figures(0, 1).traffic);
      ASSERT_LE(history.records().size(), most);
      ASSERT_EQ((history.records().size() - 1) * history.supersteps_each() + history.supersteps_in_last(), h);
      const SuperstepFigures sum = sum_of(history.records());
      ASSERT_EQ(sum.h, h * (h + 1) / 2) << most;
      ASSERT_EQ(sum.traffic, history.totals().traffic) << most;
      ASSERT_DOUBLE_EQ(sum.communicate.count(), history.totals().communicate.count());
    }
  }
}

TEST(History, of_a_million_supersteps_takes_less_than_20_megabytes) {
  History history;
  for (std::uint64_t h = 0; h < 1'000'000; ++h)
    history.add(figures(0.5, h));
  EXPECT_LT(history.records().bytes(), 20'000'000U);
  EXPECT_EQ(history.supersteps_each(), 16U);
  EXPECT_EQ(sum_of(history.records()).h, history.totals().h);
  EXPECT_EQ(history.totals().h, 999'999ULL * 1'000'000 / 2);
}

TEST(History, forecasts_for_a_record_only_if_each_superstep_in_it_has_a_forecast) {
  History history(2);
  for (const int milliseconds : {10, 20, 0, 40}) {
    SuperstepFigures one = figures(1, 1);
    one.forecast = {.duration = std::chrono::milliseconds{milliseconds}, .most_copies = milliseconds / 10};
    history.add(one);
  }
  ASSERT_EQ(history.records().size(), 2U);
  EXPECT_EQ(history.records()[0].forecast.duration, std::chrono::milliseconds{30});
  EXPECT_EQ(history.records()[0].forecast.most_copies, 2);
  EXPECT_EQ(history.records()[1].forecast.duration, std::chrono::milliseconds{0});
  EXPECT_EQ(history.records()[1].forecast.most_copies, 4);
}

/// Some supersteps use a network and some only memory; late traffic comes to some of both.
TEST(History, has_the_same_records_whichever_supersteps_use_a_network) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    std::mt19937_64 random(seed);
    History history(8);
    std::vector<SuperstepFigures> all;
    for (int step = 0; step < 100; ++step) {
      SuperstepFigures one{
          .compute = Seconds(1), .communicate = Seconds(2), .h = random() % 100, .traffic = {}};
      one.traffic.payload_bytes_sent = random() % 100;
      if (random() % seed == 0) one.traffic.wire_bytes_sent = random() % 100;
      if (random() % seed == 0)
        one.forecast = {.duration = std::chrono::milliseconds{random() % 2}, .most_copies = 1};
      history.add(one);
      all.push_back(one);
      if (random() % 3 == 0) {
        const transport::TrafficCounters late{.payload_bytes_received = 1, .wire_bytes_sent = random() % 2};
        history.credit_last(late);
        all.back().traffic += late;
      }
      for (std::size_t record = 0; record < history.records().size(); ++record) {
        const std::size_t first = record * history.supersteps_each();
        const std::size_t end = std::min(all.size(), first + history.supersteps_each());
        SuperstepFigures sum;
        bool known = true;
        for (std::size_t i = first; i < end; ++i) {
          sum += all[i];
          known = known && all[i].forecast.duration > transport::Duration{0};
        }
        const SuperstepFigures found = history.records()[record];
        ASSERT_EQ(found.h, sum.h);
        ASSERT_DOUBLE_EQ(found.communicate.count(), sum.communicate.count());
        ASSERT_EQ(found.traffic, sum.traffic)
            << "seed " << seed << ", step " << step << ", record " << record;
        ASSERT_EQ(found.forecast.most_copies, sum.forecast.most_copies);
        ASSERT_EQ(found.forecast.duration, known ? sum.forecast.duration : transport::Duration{0});
      }
    }
  }
}

TEST(History, of_supersteps_in_memory_takes_little_room) {
  History history;
  for (int step = 0; step < 100'000; ++step)
    history.add({.h = 8, .traffic = {.payload_bytes_sent = 8, .payload_bytes_received = 8}});
  EXPECT_LT(history.records().bytes(), 4'500'000U);
}

TEST(History, has_the_totals_of_all_supersteps) {
  History history(2);
  for (int i = 0; i < 5; ++i)
    history.add(figures(0.5, 10));
  EXPECT_EQ(history.supersteps(), 5U);
  EXPECT_DOUBLE_EQ(history.totals().compute.count(), 2.5);
  EXPECT_DOUBLE_EQ(history.totals().communicate.count(), 5);
  EXPECT_EQ(history.totals().h, 50U);
  EXPECT_EQ(history.totals().traffic.datagrams_sent, 50U);
}

TEST(History, credits_what_came_late_to_the_last_superstep) {
  History history(2);
  history.add(figures(1, 10));
  history.credit_last(figures(1, 5).traffic);
  EXPECT_EQ(history.records().back().traffic.datagrams_sent, 15U);
  history.add(figures(1, 10));
  history.add(figures(1, 10));
  history.credit_last(figures(1, 7).traffic);
  EXPECT_EQ(history.records().back().traffic.datagrams_sent, 17U);
  EXPECT_EQ(history.totals().traffic.datagrams_sent, 42U);
}

TEST(History, sums_forecasts_up_and_keeps_the_most_copies) {
  History history;
  for (const int copies : {1, 3, 2}) {
    SuperstepFigures one = figures(1, 1);
    one.forecast = {.duration = std::chrono::milliseconds{10},
                    .later = std::chrono::milliseconds{copies == 1 ? 1 : 2},
                    .most_copies = copies};
    history.add(one);
  }
  EXPECT_EQ(history.totals().forecast.duration, std::chrono::milliseconds{30});
  EXPECT_EQ(history.totals().forecast.later, std::chrono::milliseconds{3}) << "times that vary independently";
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
