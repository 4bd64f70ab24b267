#include "tools/launch/report/job_figures.hpp"

#include <gtest/gtest.h>

#include "tests/tools/launch/report/job_reports.hpp"

namespace lbsp::launch::report {
namespace {

TEST(JobFigures, count_computing_as_the_model_does_the_slowest_rank_of_each_superstep) {
  const JobReport report = two_ranks(true);
  EXPECT_DOUBLE_EQ(total_time(report).count(), 7);
  EXPECT_DOUBLE_EQ(compute_time(report).count(), 4 + 2 + 0.5);
  EXPECT_DOUBLE_EQ(communicate_time(report).count(), 0.5);
}

TEST(JobFigures, weigh_loss_by_datagrams_and_leave_out_who_measured_nothing) {
  const auto network = network_of(two_ranks(true));
  EXPECT_DOUBLE_EQ(network.loss, (10 + 60) / 400.0);
  EXPECT_EQ(network.loss_sample, 400U);
  EXPECT_EQ(network.round_trip_time, 20ms);
  EXPECT_DOUBLE_EQ(network.bandwidth.value, 8e6);
  EXPECT_DOUBLE_EQ(network.rate.value, 2e6);
}

TEST(JobFigures, count_repairs_as_no_copies) {
  EXPECT_DOUBLE_EQ(mean_copies(two_ranks(true)), 1 + 10.0 / 80);
}

TEST(JobFigures, tell_the_most_copies_that_were_planned_or_asked_for) {
  request::RunOptions options;
  JobReport planned(options, two_hosts());
  job::RankReport rank;
  rank.totals.forecast.most_copies = 4;
  planned.add(0, rank);
  planned.add(1, job::RankReport{});
  EXPECT_EQ(most_copies(planned), 4);
  options.exchange.redundancy = transport::Redundancy::fixed;
  options.exchange.copies = 3;
  EXPECT_EQ(most_copies(JobReport(options, two_hosts())), 3);
}

}  // namespace
}  // namespace lbsp::launch::report
