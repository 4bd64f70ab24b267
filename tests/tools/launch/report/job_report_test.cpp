#include "tools/launch/report/job_report.hpp"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/launch/report/job_reports.hpp"
#include "tools/launch/report/job_figures.hpp"
#include "tools/launch/report/report_json.hpp"
#include "tools/launch/report/report_screen.hpp"

namespace lbsp::launch::report {

using request::RunOptions;

namespace {

job::RankReport after(std::uint64_t supersteps) {
  job::RankReport report;
  report.supersteps = supersteps;
  return report;
}

TEST(Placement, counts_a_rank_that_moved_where_it_is_now) {
  places::Placement placement = two_hosts();
  placement.size = 3;
  placement.hosts[1].ranks = 2;
  EXPECT_EQ(placement.ranks_on_host_of(1), 1) << "all on this machine";
  placement.over_hosts = true;
  EXPECT_EQ(placement.ranks_on_host_of(0), 1);
  EXPECT_EQ(placement.ranks_on_host_of(1), 2);
  placement.moved[2] = 0;
  EXPECT_EQ(placement.host_of(2), "a");
  EXPECT_EQ(placement.ranks_on_host_of(0), 2);
  EXPECT_EQ(placement.ranks_on_host_of(1), 1);
  EXPECT_EQ(placement.ranks_on_host_of(7), 1) << "no such rank";
  EXPECT_EQ(placement.host_of(7), "");
}

TEST(JobReport, is_complete_when_every_rank_has_reported) {
  JobReport report(RunOptions{}, two_hosts());
  EXPECT_FALSE(report.complete());
  report.add(1, job::RankReport{});
  report.add(1, job::RankReport{});
  EXPECT_FALSE(report.complete());
  report.add(0, job::RankReport{});
  EXPECT_TRUE(report.complete());
}

TEST(JobReport, leaves_out_supersteps_beyond_those_that_a_rank_keeps) {
  JobReport report = two_ranks(true);
  for (const std::uint64_t first : {std::uint64_t{History::most_records}, UINT64_MAX}) {
    report.add(0, job::Steps{first, {figures(99, 99, 99), figures(99, 99, 99)}});
    EXPECT_EQ(report.records().steps().size(), 2U) << first;
    EXPECT_DOUBLE_EQ(report.records().steps()[0].compute.count(), 4) << first;
  }
}

TEST(JobReport, takes_records_of_several_supersteps_as_it_takes_supersteps) {
  JobReport report(RunOptions{}, two_hosts());
  for (const Rank rank : {0, 1}) {
    report.add(rank, job::Steps{.first = 0, .figures = {figures(1, 3, 10)}, .each = 4, .in_last = 4});
    report.add(
        rank,
        job::Steps{.first = 4, .figures = {figures(2, 0, 20), figures(1, 0, 5)}, .each = 4, .in_last = 3});
  }
  ASSERT_EQ(report.records().steps().size(), 3U);
  EXPECT_EQ(report.records().steps()[1].traffic.datagrams_sent, 40U);
  EXPECT_EQ(report.records().range(1).first, 4U);
  EXPECT_EQ(report.records().range(1).count, 4U);
  EXPECT_EQ(report.records().range(2).count, 3U);
  const auto json = nlohmann::json::parse(report_as_json(report));
  EXPECT_EQ(json["steps"][2]["superstep"], 8);
  EXPECT_EQ(json["steps"][2]["supersteps"], 3);
}

TEST(JobReport, of_an_unfinished_job_has_the_supersteps_that_all_who_told_have_in_common) {
  JobReport report(RunOptions{}, two_hosts());
  report.add(0, job::Steps{0, {figures(1, 3, 10), figures(2, 3, 20), figures(2, 3, 20)}});
  report.add_unfinished(0, after(3));
  EXPECT_EQ(report.records().steps().size(), 3U) << "the other is dead";
  report.add(1, job::Steps{0, {figures(1, 3, 10)}});
  report.add_unfinished(1, after(1));
  ASSERT_EQ(report.records().steps().size(), 1U);
  EXPECT_EQ(report.records().steps()[0].traffic.datagrams_sent, 20U);
  EXPECT_EQ(supersteps_of(report), 3U);
}

TEST(JobReport, leaves_out_what_is_not_a_whole_record_of_all_ranks) {
  JobReport report(RunOptions{}, two_hosts());
  const auto two = {figures(1, 3, 10), figures(2, 3, 20)};
  report.add(0, job::Steps{.first = 0, .figures = two, .each = 4, .in_last = 4});
  report.add(1, job::Steps{.first = 0, .figures = two, .each = 4, .in_last = 3});
  EXPECT_EQ(report.records().steps().size(), 1U);
}

TEST(JobReport, says_whom_the_others_waited_for_when_the_job_was_ended) {
  JobReport report(RunOptions{}, two_hosts());
  job::RankReport waits = after(1);
  waits.waiting = Seconds{30};
  report.add_unfinished(0, waits);
  report.add_unfinished(1, after(1));
  EXPECT_FALSE(report.standstill()) << "the job goes on";
  report.set_unfinished("stopped");
  ASSERT_TRUE(report.standstill());
  EXPECT_EQ(report.standstill()->ranks, std::vector<Rank>{1});
  const auto json = nlohmann::json::parse(report_as_json(report));
  EXPECT_EQ(json["waited_for"]["ranks"], nlohmann::json({1}));
  EXPECT_EQ(json["waited_for"]["seconds"], 30);
  EXPECT_NE(report_as_text(report).find("  waited for  rank 1 on "), std::string::npos)
      << report_as_text(report);
  waits.waiting = Seconds{0.9};
  report.add_unfinished(0, waits);
  EXPECT_FALSE(report.standstill()) << "that is not long";
}

TEST(JobReport, leaves_out_records_of_other_lengths_than_those_of_the_first_rank) {
  JobReport report(RunOptions{}, two_hosts());
  report.add(0, job::Steps{.first = 0, .figures = {figures(1, 3, 10)}, .each = 4, .in_last = 4});
  report.add(1, job::Steps{.first = 0, .figures = {figures(9, 9, 90)}, .each = 2, .in_last = 2});
  report.add(1, job::Steps{.first = 2, .figures = {figures(9, 9, 90)}, .each = 4, .in_last = 4});
  ASSERT_EQ(report.records().steps().size(), 1U);
  EXPECT_EQ(report.records().steps()[0].traffic.datagrams_sent, 10U);
}

/// A rank's figures of many supersteps, as it tells them.
void tell(JobReport& report, Rank rank, const History& history) {
  const auto& records = history.records();
  report.add(rank, job::Steps{.first = 0,
                              .figures = records.copy(0, records.size()),
                              .each = history.supersteps_each(),
                              .in_last = history.supersteps_in_last()});
  report.add(rank, job::RankReport{.supersteps = history.supersteps(),
                                   .total = Seconds{1e9},
                                   .start = {},
                                   .end = {},
                                   .totals = history.totals(),
                                   .network = {},
                                   .verified = {}});
}

TEST(JobReport, of_a_million_supersteps_is_of_all_of_them) {
  History history;
  for (int i = 0; i < 1'000'000; ++i)
    history.add(foreseen(1, 2, 4000ms, 1));
  JobReport report(RunOptions{}, two_hosts());
  for (const Rank rank : {0, 1})
    tell(report, rank, history);
  EXPECT_LE(report.records().steps().size(), History::most_records);
  std::uint64_t sent = 0;
  std::uint64_t supersteps = 0;
  for (std::size_t step = 0; step < report.records().steps().size(); ++step) {
    sent += report.records().steps()[step].traffic.datagrams_sent;
    supersteps += report.records().range(step).count;
  }
  EXPECT_EQ(supersteps, 1'000'000U);
  EXPECT_EQ(sent, traffic_of(report).datagrams_sent);
  EXPECT_DOUBLE_EQ(compute_time(report).count(), 1e6);
  ASSERT_TRUE(report.records().times().total());
  EXPECT_DOUBLE_EQ(report.records().times().total()->planned.count(), 4e6);
  EXPECT_DOUBLE_EQ(report.records().times().total()->measured.count(), 2e6);
}

TEST(JobReport, has_the_slowest_rank_s_times_of_each_superstep_and_what_all_have_sent) {
  const JobReport report = two_ranks(true);
  ASSERT_EQ(report.records().steps().size(), 2U);
  EXPECT_DOUBLE_EQ(report.records().steps()[0].compute.count(), 4);
  EXPECT_DOUBLE_EQ(report.records().steps()[0].communicate.count(), 3);
  EXPECT_EQ(report.records().steps()[1].h, 40U);
  EXPECT_EQ(report.records().steps()[1].traffic.datagrams_sent, 60U);
}

TEST(JobReport, is_verified_if_one_rank_says_so_and_none_the_contrary) {
  EXPECT_EQ(two_ranks(true).verified(), true);
  EXPECT_EQ(two_ranks(false).verified(), false);
  EXPECT_EQ(two_ranks(std::nullopt).verified(), std::nullopt);
}

TEST(JobReport, measures_what_was_predicted_from_the_last_rank_s_begin_to_the_last_rank_s_end) {
  JobReport report(RunOptions{}, two_hosts());
  // Begin 1 and 3, end 5 and 4; then begin 6 and 5, end 7 and 9.
  report.add(0, job::Steps{0, {foreseen(1, 4, 1000ms, 2), foreseen(1, 1, 2000ms, 1)}});
  report.add(1, job::Steps{0, {foreseen(3, 1, 3000ms, 1), foreseen(1, 4, 0ms, 3)}});
  const auto first = report.records().times().predictions().at(0);
  ASSERT_TRUE(first);
  EXPECT_DOUBLE_EQ(first->predicted.count(), 3);
  EXPECT_DOUBLE_EQ(first->measured.count(), 5 - 3);
  EXPECT_DOUBLE_EQ(first->error(), 0.5);
  const auto second = report.records().times().predictions().at(1);
  ASSERT_TRUE(second);
  EXPECT_DOUBLE_EQ(second->planned.count(), 2);
  EXPECT_DOUBLE_EQ(second->measured.count(), 9 - 6);
  const auto total = report.records().times().total();
  ASSERT_TRUE(total);
  EXPECT_DOUBLE_EQ(total->planned.count(), total->measured.count());
  EXPECT_EQ(report.records().steps()[0].forecast.most_copies, 2);
  EXPECT_EQ(report.records().steps()[1].forecast.most_copies, 3);
}

/// Its hosts take half as long again as the network; the plan's interval is from a quarter less to half more.
TEST(JobReport, predicts_within_its_own_interval_where_the_hosts_are_slower_than_the_plan) {
  JobReport report(RunOptions{}, two_hosts());
  report.add(0, job::Steps{0, std::vector<SuperstepFigures>(100, foreseen(0, 1.9, 1000ms, 1))});
  report.add(1, job::Steps{0, std::vector<SuperstepFigures>(100, foreseen(0, 1.9, 1000ms, 1))});
  for (const auto& each : report.records().times().predictions()) {
    ASSERT_TRUE(each);
    EXPECT_LE(each->interval.from, each->predicted);
    EXPECT_LE(each->predicted, each->interval.to);
  }
  const auto total = report.records().times().total();
  ASSERT_TRUE(total);
  EXPECT_DOUBLE_EQ(total->planned.count(), 100);
  EXPECT_GT(total->predicted.count(), 160);
  EXPECT_LE(total->interval.from, total->predicted);
  EXPECT_LE(total->predicted, total->interval.to);
  EXPECT_DOUBLE_EQ(total->error(), (total->predicted - total->measured) / total->measured);
}

TEST(JobReport, goes_on_measuring_where_the_last_frame_of_a_rank_ended) {
  JobReport report(RunOptions{}, two_hosts());
  report.add(0, job::Steps{0, {foreseen(1, 1, 1000ms, 1)}});
  report.add(0, job::Steps{1, {foreseen(1, 3, 1000ms, 1)}});
  EXPECT_DOUBLE_EQ(report.records().times().predictions().at(1)->measured.count(), 3);
  EXPECT_EQ(report.records().times().predictions().size(), 2);
}

TEST(JobReport, compares_only_supersteps_that_were_predicted) {
  JobReport report(RunOptions{}, two_hosts());
  report.add(0, job::Steps{0, {foreseen(0, 100, 0ms, 0), foreseen(0, 2, 1000ms, 1)}});
  EXPECT_FALSE(report.records().times().predictions().at(0));
  EXPECT_DOUBLE_EQ(report.records().times().total()->measured.count(), 2);
  EXPECT_DOUBLE_EQ(report.records().times().total()->error(), -0.5);
  EXPECT_FALSE(two_ranks(true).records().times().total());
}

TEST(JobReport, drops_supersteps_beyond_those_a_rank_keeps) {
  JobReport report(RunOptions{}, two_hosts());
  report.add(0, job::Steps{std::uint64_t{1} << 60, {figures(1, 1, 1)}});
  EXPECT_TRUE(report.records().steps().empty());
}

}  // namespace
}  // namespace lbsp::launch::report
