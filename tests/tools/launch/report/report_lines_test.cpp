// Single lines of the report on the screen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/launch/report/job_reports.hpp"
#include "tools/launch/report/report_json.hpp"
#include "tools/launch/report/report_screen.hpp"

namespace lbsp::launch::report {

using request::RunOptions;

namespace {

using testing::HasSubstr;

TEST(ReportScreen, names_whose_figures_it_has) {
  JobReport report(RunOptions{}, two_hosts());
  EXPECT_THAT(report_as_text(report), HasSubstr("  reported    by none of 2 ranks\n"));
  report.add(1, job::RankReport{});
  EXPECT_THAT(report_as_text(report),
              HasSubstr("  reported    by 1 of 2 ranks (rank 1): the figures are of this one only\n"));
}

/// What a path that was cut off has lost then shows in no gap.
TEST(ReportScreen, says_of_a_job_that_was_cut_off_up_to_where_its_loss_is_known) {
  JobReport report(RunOptions{}, two_hosts());
  job::RankReport rank;
  rank.network.loss = 0.125;
  rank.network.loss_sample = 160;
  report.add(0, rank);
  EXPECT_THAT(report_as_text(report), HasSubstr("  network     loss 12.5 % of 160 datagrams\n"));
  report.set_unfinished("rank 1 was last heard 15 s ago");
  EXPECT_THAT(report_as_text(report),
              HasSubstr("  network     loss 12.5 % of 160 datagrams up to the last that came\n"));
  rank.network = {};
  rank.totals.traffic.datagrams_sent = 7;
  report.add(0, rank);
  EXPECT_THAT(report_as_text(report), HasSubstr("  network     not measured: no datagram came\n"));
}

/// The sums go on over all worlds, but what was measured and the supersteps one by one are of the last.
TEST(ReportScreen, says_what_is_of_the_last_world_only_where_the_sums_are_of_all) {
  JobReport report = lasting_report();
  report.add(0, job::Steps{0, {foreseen(1, 1, 1000ms, 1), foreseen(1, 1, 1000ms, 1)}});
  job::RankReport rank;
  rank.supersteps = 5;
  rank.epoch = 1;
  rank.network.loss = 0.125;
  rank.network.loss_sample = 160;
  rank.totals.traffic.datagrams_sent = 900;
  report.add(0, rank);
  EXPECT_THAT(
      report_as_text(report),
      testing::AllOf(HasSubstr("s communicating in 2 of 5 supersteps, "),
                     HasSubstr("  network     loss 12.5 % of 160 datagrams since the last change\n")));
  const auto json = nlohmann::json::parse(report_as_json(report));
  EXPECT_EQ(json["prediction"]["supersteps"], 2);
  EXPECT_EQ(json["network"]["epoch"], 1);
  EXPECT_EQ(json["per_rank"][0]["network"]["epoch"], 1);
  EXPECT_EQ(json["steps"][1]["prediction"]["supersteps"], 1);
  rank.network.loss_sample = 0;
  report.add(0, rank);
  EXPECT_THAT(report_as_text(report),
              HasSubstr("  network     not measured: no datagram came since the last change\n"));
}

TEST(ReportScreen, does_not_count_the_supersteps_of_a_prediction_that_is_of_all) {
  JobReport report(RunOptions{}, two_hosts());
  report.add(0, job::Steps{.first = 0, .figures = {foreseen(1, 1, 1000ms, 1)}, .each = 4, .in_last = 3});
  job::RankReport rank;
  rank.supersteps = 3;
  report.add(0, rank);
  EXPECT_THAT(report_as_text(report), HasSubstr("s communicating, "));
}

/// Otherwise more payload would seem to have gone than is on the wire.
TEST(ReportScreen, tells_what_went_through_memory_from_what_went_by_datagrams) {
  JobReport report(RunOptions{}, two_hosts());
  job::RankReport rank;
  rank.totals.traffic.payload_bytes_sent = 4096;
  rank.totals.traffic.wire_bytes_sent = 2048;
  report.add(0, rank);
  EXPECT_THAT(report_as_text(report), HasSubstr("  bytes       4 KiB payload, 2 KiB on the wire"));
  rank.totals.traffic.near_bytes_sent = 3072;
  report.add(0, rank);
  EXPECT_THAT(
      report_as_text(report),
      HasSubstr("  bytes       4 KiB payload, 3 KiB of it within hosts by memory, 2 KiB on the wire"));
  EXPECT_EQ(nlohmann::json::parse(report_as_json(report))["bytes"]["near"], 3072);
}

/// To several others at once, each message has a part of its link only.
TEST(ReportScreen, does_not_take_the_speed_of_a_message_for_that_of_a_link) {
  JobReport report(RunOptions{}, two_hosts());
  job::RankReport rank;
  rank.network.loss_sample = 100;
  rank.network.bandwidth = transport::megabits_per_second(10);
  report.add(0, rank);
  EXPECT_THAT(report_as_text(report), HasSubstr("of 100 datagrams, messages at up to 10 Mbit/s\n"));
}

TEST(ReportScreen, has_no_lines_about_messages_of_a_rank_that_is_alone) {
  places::Placement alone = two_hosts();
  alone.size = 1;
  alone.hosts.pop_back();
  RunOptions options;
  options.program = "prog";
  JobReport report(options, alone);
  report.add(0, job::RankReport{});
  const std::string text = report_as_text(report);
  EXPECT_THAT(text, testing::StartsWith("lbsp: prog on 1 rank\n"));
  for (const char* none : {"network", "copies", "datagrams", "bytes"})
    EXPECT_THAT(text, testing::Not(HasSubstr(none)));
  EXPECT_THAT(text, HasSubstr("supersteps"));
}

/// Datagrams that are as long at the end as at the beginning are not worth a line.
TEST(ReportScreen, says_how_long_datagrams_were_at_most) {
  const auto text_with = [](std::size_t shortest, std::size_t longest) {
    RunOptions options;
    options.exchange.find_datagram = true;
    JobReport report(options, two_hosts());
    job::RankReport rank;
    rank.network.shortest_datagram = shortest;
    rank.network.longest_datagram = longest;
    report.add(0, rank);
    return report_as_text(report);
  };
  EXPECT_THAT(
      text_with(1392, 1472),
      HasSubstr("  path MTU    datagrams of 1392 to 1472 bytes at most, by path; 1200 at the beginning\n"));
  EXPECT_THAT(text_with(1472, 1472),
              HasSubstr("  path MTU    datagrams of 1472 bytes at most; 1200 at the beginning\n"));
  EXPECT_THAT(text_with(1200, 1200), testing::Not(HasSubstr("path MTU")));
}

TEST(ReportScreen, has_ten_lines_of_losses_at_most_and_says_how_many_there_are) {
  JobReport report = lasting_report();
  for (std::uint32_t epoch = 1; epoch <= 12; ++epoch)
    report.losses().changed({.epoch = epoch, .members = {0, 1}, .lost = {1}, .seated = {1}});
  const std::string text = report_as_text(report);
  std::size_t lines = 0;
  for (auto at = text.find("\n  lost "); at != std::string::npos; at = text.find("\n  lost ", at + 1))
    ++lines;
  EXPECT_EQ(lines, 10U);
  EXPECT_THAT(text, testing::ContainsRegex(
                        "\n              and 2 changes of the world more, the last after .*, which "
                        "--json has\n"));
}

/// Two were to join, as ranks 2 and 3; the first of them never did.
TEST(ReportScreen, counts_no_rank_that_never_joined) {
  JobReport report = lasting_report();
  report.set_size(2);
  report.losses().add(2, "it never joined: no such host");
  report.losses().changed({.epoch = 1, .members = {0, 1, 3}, .lost = {}, .seated = {3}});
  report.set_size(4);
  report.add(0, job::RankReport{});
  report.add(1, job::RankReport{});
  EXPECT_THAT(report_as_text(report),
              testing::AllOf(HasSubstr(" on 3 ranks over "),
                             HasSubstr("by 2 of 3 ranks (ranks 0, 1): the figures are of these only")));
  report.add(3, job::RankReport{});
  EXPECT_THAT(report_as_text(report),
              testing::AllOf(HasSubstr(" on 3 ranks over "), testing::Not(HasSubstr("  reported "))));
}

}  // namespace
}  // namespace lbsp::launch::report
