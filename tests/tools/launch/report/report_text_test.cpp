// The report on the screen.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/launch/report/job_reports.hpp"
#include "tools/launch/report/models_of_run.hpp"
#include "tools/launch/report/report_json.hpp"
#include "tools/launch/report/report_screen.hpp"

namespace lbsp::launch::report {

using request::RunOptions;

namespace {

using testing::HasSubstr;

TEST(ReportText, warns_of_a_peer_timeout_that_is_shorter_than_the_round_trip) {
  const auto text_with = [](std::chrono::milliseconds peer_timeout, std::chrono::milliseconds round_trip) {
    RunOptions options;
    options.exchange.peer_timeout = peer_timeout;
    JobReport report(options, two_hosts());
    job::RankReport rank;
    rank.network.round_trip_time = round_trip;
    report.add(0, rank);
    return report_as_text(report);
  };
  EXPECT_THAT(
      text_with(100ms, 302ms),
      HasSubstr(
          "  warning     --peer-timeout 100ms is less than a round trip: ranks that were there may have "
          "been given up: give 1.21 s or more\n"));
  EXPECT_THAT(text_with(400ms, 302ms), testing::Not(HasSubstr("warning")));
  EXPECT_THAT(text_with(100ms, 0ms), testing::Not(HasSubstr("warning")));
}

/// Of the host that was slowest in the end; two of its ranks share its rate.
TEST(ReportText, says_that_the_network_carries_far_less_than_was_told) {
  const auto text_with = [](double megabits_of_last, bool finds = false, const std::string& profile = {},
                            const std::vector<double>& profiled = {},
                            const std::map<Rank, std::size_t>& moved = {}) {
    RunOptions options;
    options.exchange.rate = transport::megabits_per_second(100);
    options.exchange.find_rate = finds;
    options.rate_given = profile.empty();
    options.profile_file = profile;
    for (const double megabits : profiled)
      options.rates.push_back(transport::megabits_per_second(megabits));
    places::Placement placement = two_hosts();
    placement.over_hosts = true;
    placement.size = 3;
    placement.hosts[1].ranks = 2;
    placement.moved = moved;
    JobReport report(options, placement);
    Rank rank = 0;
    for (const double megabits : {100.0, 50.0, megabits_of_last / 2}) {
      job::RankReport one;
      one.network.loss_sample = 100;
      one.network.rate = transport::megabits_per_second(megabits);
      report.add(rank++, one);
    }
    return report_as_text(report);
  };
  EXPECT_THAT(text_with(20), HasSubstr(", rate at the end 20 Mbit/s of b, though 100 Mbit/s was told\n"));
  EXPECT_THAT(text_with(20, false, "net.json"), HasSubstr("though 100 Mbit/s is in the profile\n"));
  // A profile tells each host its own.
  EXPECT_THAT(text_with(20, false, "net.json", {100, 30, 30}),
              HasSubstr(", rate at the end 20 Mbit/s to 100 Mbit/s, by host\n"));
  EXPECT_THAT(text_with(20, false, "net.json", {400, 400, 400}),
              HasSubstr(", rate at the end 20 Mbit/s of b, though 400 Mbit/s is in the profile\n"));
  EXPECT_THAT(text_with(20, false, "net.json", {400, 30, 30}),
              HasSubstr(", rate at the end 100 Mbit/s of a, though 400 Mbit/s is in the profile\n"));
  // What it says of a lost host is not of the one that has its rank now.
  EXPECT_THAT(text_with(20, false, "net.json", {1000, 30, 30}, {{0, 1}}), testing::Not(HasSubstr("though")));
  EXPECT_THAT(text_with(60), testing::Not(HasSubstr("though")));
  EXPECT_THAT(text_with(20, true), testing::Not(HasSubstr("told")));
  // A mean over the ranks would be that of no host.
  EXPECT_THAT(text_with(20, true), HasSubstr(", rate at the end 20 Mbit/s to 100 Mbit/s, by host\n"));
  EXPECT_THAT(text_with(100, true), HasSubstr(", rate at the end 100 Mbit/s\n"));
}

TEST(ReportText, has_a_table_of_the_models_on_one_screen_where_there_is_more_than_one) {
  JobReport report = mistaken();
  report.set_models(models_of(report, ""));
  EXPECT_EQ(report_as_text(report).find("models"), std::string::npos)
      << "the line of what was predicted says it";
  report.set_models({{"lbsp", "lossy BSP", 3, estimate::Interval{2.5, 3.5}},
                     {"critical-path", "critical path", 1.5, std::nullopt},
                     {"pmm", "Fox's product", 1.25, estimate::Interval{1, 1.5}},
                     {"queueing", "queueing", 2.25, estimate::Interval{2, 2.5}}});
  const std::string text = report_as_text(report);
  EXPECT_THAT(text, HasSubstr("  models      measured       2 s\n"
                              "              lossy BSP      3 s, in nine of ten runs 2.5 s to 3.5 s\n"
                              "              critical path  1.5 s\n"
                              "              Fox's product  1.25 s, 1 s to 1.5 s\n"
                              "              queueing       2.25 s, 2 s to 2.5 s\n"));
  EXPECT_LE(std::ranges::count(text, '\n'), 23);
}

TEST(ReportScreen, has_the_prediction_beside_what_was_measured) {
  EXPECT_THAT(
      report_as_text(mistaken()),
      testing::ContainsRegex("predicted   2 s communicating, 1[.0-9]* s to [23][.0-9]* s in nine of ten, "
                             "measured 1 s, error \\+100 %"));
  EXPECT_THAT(report_as_text(two_ranks(true)), testing::Not(HasSubstr("predicted")));
}

TEST(ReportScreen, has_a_prediction_that_is_far_off_without_an_exponent) {
  JobReport report(RunOptions{}, two_hosts());
  for (const Rank rank : {0, 1}) {
    report.add(rank, job::Steps{0, {foreseen(0, 1, 20000ms, 1)}});
    report.add(rank, job::RankReport{.supersteps = 1,
                                     .total = Seconds{1},
                                     .start = {},
                                     .end = {},
                                     .totals = {},
                                     .network = {},
                                     .verified = {}});
  }
  EXPECT_THAT(report_as_text(report), HasSubstr("measured 1 s, error +1900 %"));
}

TEST(ReportScreen, says_for_how_many_supersteps_the_prediction_stands) {
  JobReport report(RunOptions{}, two_hosts());
  for (const Rank rank : {0, 1}) {
    report.add(rank,
               job::Steps{0, {foreseen(0, 9, 0ms, 0), foreseen(0, 1, 2000ms, 1), foreseen(0, 9, 0ms, 0)}});
    report.add(rank, job::RankReport{.supersteps = 3,
                                     .total = Seconds{19},
                                     .start = {},
                                     .end = {},
                                     .totals = {},
                                     .network = {},
                                     .verified = {}});
  }
  EXPECT_THAT(report_as_text(report), HasSubstr("predicted   2 s communicating in 1 of 3 supersteps, "));
  EXPECT_EQ(nlohmann::json::parse(report_as_json(report))["prediction"]["supersteps"], 1);
}

TEST(ReportScreen, says_of_each_change_of_the_world_who_was_lost) {
  JobReport report = lasting_report();
  report.losses().changed({.epoch = 1, .members = {0}, .lost = {1}, .silence = 1s, .agreement = 40ms});
  report.losses().changed({.epoch = 2, .members = {0, 1}, .lost = {}, .agreement = 30ms});
  const std::string text = report_as_text(report);
  EXPECT_THAT(text,
              testing::ContainsRegex(
                  "lost        rank 1 after .*: 1 rank went on, 1 s after the last word, agreed in 40 ms\n"));
  EXPECT_THAT(text,
              testing::ContainsRegex("lost        no rank, though some were silent, after .*: 2 ranks went "
                                     "on, agreed in 30 ms\n"));
}

TEST(ReportScreen, says_for_how_long_the_job_stood_still_by_the_ranks_clocks) {
  JobReport report = lasting_report();
  report.losses().changed({.epoch = 1, .members = {0}, .lost = {1}, .silence = 1s});
  report.losses().resumed({.epoch = 1, .after = 70ms});
  report.losses().resumed({.epoch = 1, .after = 50ms});
  report.losses().resumed({.epoch = 2, .after = 5s});
  EXPECT_THAT(report_as_text(report), HasSubstr("stood still for 1.07 s"));
}

TEST(ReportScreen, says_that_a_job_stood_still_for_longer_than_it_agreed) {
  JobReport report = lasting_report();
  report.losses().changed({.epoch = 1, .members = {0}, .lost = {1}, .silence = 80ms, .agreement = 1100ms});
  report.losses().resumed({.epoch = 1, .after = 200ms});
  EXPECT_THAT(report_as_text(report), HasSubstr("stood still for 1.3 s"));
  report.losses().resumed({.epoch = 1, .after = 100ms, .waited = 3s});
  report.losses().resumed({.epoch = 1, .after = 100ms, .waited = 3100ms});
  EXPECT_THAT(report_as_text(report), HasSubstr("stood still for 3.2 s"));
}

/// It was while they agreed, and the others waited for it in the new world: that is not two times.
TEST(ReportScreen, says_that_a_job_stood_still_once_for_a_rank_that_was_frozen) {
  JobReport report = lasting_report();
  report.losses().changed({.epoch = 1, .members = {0, 2}, .lost = {1}, .silence = 50ms, .agreement = 100ms});
  report.losses().resumed({.epoch = 1, .after = 2800ms, .waited = 110ms});
  report.losses().changed(
      {.epoch = 1, .members = {0, 2}, .lost = {1}, .silence = 2750ms, .agreement = 2800ms});
  report.losses().resumed({.epoch = 1, .after = 100ms, .waited = 2810ms});
  EXPECT_THAT(report_as_text(report), HasSubstr("agreed in 2.8 s, stood still for 2.91 s"));
}

TEST(ReportScreen, says_for_how_long_all_were_frozen_although_nobody_is_lost) {
  JobReport report = lasting_report();
  report.losses().changed({.epoch = 1, .members = {0, 1}, .lost = {}, .agreement = 40ms});
  for (int rank = 0; rank < 2; ++rank)
    report.losses().resumed({.epoch = 1, .after = 10ms, .waited = 3s});
  EXPECT_THAT(report_as_text(report), HasSubstr("stood still for 3.01 s"));
}

/// Its process has ended before the others told that it had joined.
TEST(ReportScreen, says_that_a_rank_joined_which_was_lost_at_once) {
  JobReport report = lasting_report();
  report.losses().add(2, "rank 2 on b was killed by SIGKILL");
  report.losses().changed({.epoch = 1, .members = {0, 1, 2}, .lost = {}, .seated = {2}});
  report.losses().changed({.epoch = 2, .members = {0, 1}, .lost = {2}});
  const std::string text = report_as_text(report);
  EXPECT_THAT(text, testing::ContainsRegex("joined      rank 2 after .*: 3 ranks went on"));
  EXPECT_THAT(text, testing::ContainsRegex("lost        rank 2 after .*: 2 ranks went on"));
  EXPECT_THAT(text, testing::Not(HasSubstr("no rank")));
  EXPECT_EQ(report.losses().all().size(), 1U);
}

TEST(ReportScreen, is_short_and_says_when_an_answer_is_wrong) {
  const std::string text = report_as_text(two_ranks(false));
  EXPECT_LE(std::ranges::count(text, '\n'), 24);
  EXPECT_THAT(text, HasSubstr("loss 17.5 % of 400 datagrams, round trip 20"));
  EXPECT_THAT(text, HasSubstr("11 resent"));
  EXPECT_THAT(text, HasSubstr("NO: the program found its answer wrong"));
}

TEST(ReportScreen, has_a_line_for_the_program_whatever_its_name) {
  request::RunOptions options;
  options.program = "dir/new\nline\x1b[31m";
  EXPECT_THAT(report_as_text(JobReport(options, two_hosts())), HasSubstr("lbsp: dir/new line\\x1b[31m on "));
}

TEST(ReportScreen, does_not_say_of_a_job_that_was_cut_short_that_its_program_did_not_check) {
  JobReport unchecked = two_ranks(std::nullopt);
  EXPECT_THAT(report_as_text(unchecked), HasSubstr("verified    the program did not check its answer"));
  unchecked.set_unfinished("ended by SIGINT");
  EXPECT_THAT(report_as_text(unchecked), testing::Not(HasSubstr("verified")));
  JobReport wrong = two_ranks(false);
  wrong.set_unfinished("found its answer wrong");
  EXPECT_THAT(report_as_text(wrong), HasSubstr("verified    NO"));
}

}  // namespace
}  // namespace lbsp::launch::report
