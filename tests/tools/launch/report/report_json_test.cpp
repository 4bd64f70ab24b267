// The report as JSON, and its lines in the trace.
#include "tools/launch/report/report_json.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/launch/report/job_reports.hpp"
#include "tools/launch/report/models_of_run.hpp"
#include "tools/launch/report/report_screen.hpp"
#include "tools/launch/report/trace_json.hpp"

namespace lbsp::launch::report {
namespace {

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
  places::Placement placement;
  placement.size = 2;
  JobReport lost({}, placement);
  lost.set_unfinished("rank 1 was killed");
  const auto other = nlohmann::json::parse(trace_end_line(1, {}, lost));
  EXPECT_EQ(other["told"], false);
  EXPECT_TRUE(other["seconds"].is_null());
  EXPECT_EQ(other["job"]["reason"], "rank 1 was killed");
}

}  // namespace
}  // namespace lbsp::launch::report
