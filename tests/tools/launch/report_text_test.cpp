// The report as JSON, on the screen and in the trace.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/launch/job_reports.hpp"
#include "tools/launch/models_of_run.hpp"
#include "tools/launch/report_json.hpp"
#include "tools/launch/report_screen.hpp"
#include "tools/launch/trace_json.hpp"

namespace lbsp::launch {
namespace {

using testing::HasSubstr;

/// Two ranks that predicted 2 s for a superstep of 1 s.
JobReport mistaken() {
  RunOptions options;
  options.exchange.redundancy = transport::Redundancy::fixed;
  options.exchange.copies = 3;
  JobReport report(options, two_hosts());
  for (const Rank rank : {0, 1}) {
    report.add(rank, job::Steps{0, {foreseen(1, 1, 2000ms, 3)}});
    report.add(rank, job::RankReport{.supersteps = 1,
                                     .total = Seconds{2},
                                     .start = Seconds{0.25 * (1 + rank)},
                                     .end = Seconds{0.5 / (1 + rank)},
                                     .totals = {},
                                     .network = {},
                                     .verified = {}});
  }
  return report;
}

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
    Placement placement = two_hosts();
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

TEST(ReportJson, has_every_key_of_the_contract_in_si_units) {
  const auto json = nlohmann::json::parse(report_as_json(two_ranks(true)));
  EXPECT_EQ(json["program"], "prog");
  EXPECT_EQ(json["ranks"], 2);
  EXPECT_EQ(json["backend"], "udp");
  EXPECT_EQ(json["verified"], true);
  EXPECT_EQ(json["supersteps"], 2);
  EXPECT_EQ(json["seconds"]["total"], 7.0);
  for (const char* key : {"compute", "communicate"})
    EXPECT_TRUE(json["seconds"][key].is_number());
  EXPECT_EQ(json["copies"]["policy"], "auto");
  EXPECT_TRUE(json["copies"]["max"].is_number_integer());
  EXPECT_TRUE(json["copies"]["mean"].is_number());
  EXPECT_EQ(json["packets"]["sent"], 101);
  EXPECT_EQ(json["packets"]["retransmitted"], 11);
  for (const char* key : {"received", "duplicate", "rejected", "overflowed"})
    EXPECT_TRUE(json["packets"][key].is_number());
  EXPECT_EQ(json["bytes"]["payload"], 10100);
  EXPECT_TRUE(json["bytes"]["wire"].is_number());
  EXPECT_EQ(json["network"]["rtt"], 0.02);
  EXPECT_EQ(json["network"]["bandwidth"], 8e6);
  EXPECT_EQ(json["network"]["loss"], 0.175);
  EXPECT_EQ(json["network"]["rate"], 2e6);
  EXPECT_EQ(json["network"]["host_rates"], nlohmann::json({1e6, 3e6}));
  EXPECT_TRUE(json.contains("prediction"));
  EXPECT_TRUE(json["prediction"].is_null());
  EXPECT_EQ(json["per_rank"][1]["host"], "b");
  EXPECT_EQ(json["steps"][1]["packets"]["sent"], 60);
  EXPECT_TRUE(json["steps"][1]["prediction"].is_null());
}

TEST(ReportJson, has_what_each_model_says_of_the_run) {
  JobReport report = mistaken();
  EXPECT_EQ(nlohmann::json::parse(report_as_json(report))["models"], nlohmann::json::array());
  report.set_models(models_of(report, ""));
  const auto lossy = nlohmann::json::parse(report_as_json(report))["models"];
  ASSERT_EQ(lossy.size(), 1U);
  // Two seconds, of which the plan said two of a superstep of one.
  EXPECT_EQ(lossy[0]["model"], "lbsp");
  EXPECT_EQ(lossy[0]["seconds"], 3.0);
  EXPECT_LT(lossy[0]["interval"][0], 2.6);
  EXPECT_GT(lossy[0]["interval"][1], 3.5);
  report.set_models(models_of(report, "nonsense\n"));
  EXPECT_EQ(nlohmann::json::parse(report_as_json(report))["models"], lossy);
  report.set_unfinished("stopped");
  EXPECT_TRUE(models_of(report, "").empty());
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

TEST(ReportJson, says_what_start_and_end_cost_the_slowest_rank) {
  const auto json = nlohmann::json::parse(report_as_json(mistaken()));
  EXPECT_EQ(json["seconds"]["start"], 0.5);
  EXPECT_EQ(json["seconds"]["end"], 0.5);
  EXPECT_EQ(json["per_rank"][1]["seconds"]["end"], 0.25);
  EXPECT_NE(report_as_text(mistaken()).find("500 ms to join, 500 ms to leave"), std::string::npos);
}

TEST(ReportJson, has_the_prediction_of_each_superstep_and_of_all) {
  const auto json = nlohmann::json::parse(report_as_json(mistaken()));
  for (const auto& prediction : {json["prediction"], json["steps"][0]["prediction"]}) {
    EXPECT_EQ(prediction["seconds"], 2.0);
    EXPECT_EQ(prediction["planned"], 2.0);
    EXPECT_EQ(prediction["measured"], 1.0);
    EXPECT_EQ(prediction["error"], 1.0);
    EXPECT_LT(prediction["interval"][0], 1.6);
    EXPECT_GT(prediction["interval"][1], 2.5);
  }
  EXPECT_EQ(json["copies"]["policy"], "fixed");
  EXPECT_EQ(json["copies"]["max"], 3);
  EXPECT_EQ(json["steps"][0]["copies"], 3);
}

TEST(TraceLine, has_a_rank_s_own_prediction) {
  const auto line = nlohmann::json::parse(trace_line(0, {7, 1}, foreseen(1, 1, 2500ms, 2), nullptr));
  EXPECT_EQ(line["version"], 2);
  EXPECT_EQ(line["predicted"], 2.5);
  // A quarter less to half more, and the usual error of 0.6 %.
  EXPECT_NEAR(line["interval"][0], 0.75 * 2.5 - 0.015, 1e-9);
  EXPECT_NEAR(line["interval"][1], 1.5 * 2.5 + 0.015, 1e-9);
  EXPECT_EQ(line["copies"], 2);
  EXPECT_TRUE(nlohmann::json::parse(trace_line(0, {7, 1}, figures(1, 1, 1), nullptr))["predicted"].is_null());
}

TEST(TraceLine, has_the_processor_time_what_was_waiting_and_the_bytes_to_each_rank) {
  const trace::Figures traced{.without_processor = 400ms,
                              .after_messages = 250ms,
                              .network = {.loss = 0.1, .round_trip = 20ms, .rate = {1e6}, .bandwidth = {2e6}},
                              .to = {{1, 10}, {3, 30}}};
  const auto line = nlohmann::json::parse(trace_line(0, {7, 1}, figures(1, 3, 10), &traced));
  EXPECT_EQ(line["cpu"], 0.6);
  EXPECT_EQ(line["waiting"], 2.75);
  EXPECT_EQ(line["to"], (nlohmann::json{{1, 10}, {3, 30}}));
  EXPECT_EQ(line["network"],
            (nlohmann::json{{"loss", 0.1}, {"rtt", 0.02}, {"rate", 1e6}, {"bandwidth", 2e6}}));
  EXPECT_TRUE(nlohmann::json::parse(trace_line(0, {7, 1}, figures(1, 3, 10), nullptr))["cpu"].is_null());
}

TEST(TraceLine, of_a_rank_s_end_says_what_the_job_was_and_whether_the_rank_has_told) {
  const auto line = nlohmann::json::parse(trace_end_line(1, figures(1, 3, 10), two_ranks(true)));
  EXPECT_TRUE(line["superstep"].is_null());
  EXPECT_EQ(line["told"], true);
  EXPECT_EQ(line["job"]["ranks"], 2);
  EXPECT_EQ(line["job"]["finished"], true);
  Placement placement;
  placement.size = 2;
  JobReport lost({}, placement);
  lost.set_unfinished("rank 1 was killed");
  const auto other = nlohmann::json::parse(trace_end_line(1, {}, lost));
  EXPECT_EQ(other["told"], false);
  EXPECT_TRUE(other["seconds"].is_null());
  EXPECT_EQ(other["job"]["reason"], "rank 1 was killed");
}

TEST(ReportScreen, has_the_prediction_beside_what_was_measured) {
  EXPECT_THAT(
      report_as_text(mistaken()),
      testing::ContainsRegex("predicted   2 s communicating, 1[.0-9]* s to [23][.0-9]* s in nine of ten, "
                             "measured 1 s, error \\+100 %"));
  EXPECT_THAT(report_as_text(two_ranks(true)), testing::Not(HasSubstr("predicted")));
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

}  // namespace
}  // namespace lbsp::launch
