// lbsp estimate by the prediction of lossy BSP.
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/estimate/estimate_outcome.hpp"
#include "tests/tools/estimate/small_trace.hpp"

namespace lbsp::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Of a megabyte in full datagrams, their heads: a few per cent.
constexpr double heads = 0.06;

/// The same trace, with ranks that send a megabyte a second.
std::vector<json> with_rate(std::vector<json> trace, double loss = 0) {
  for (json& line : trace)
    line["network"] = {{"loss", loss}, {"rtt", 0.2}, {"rate", 1e6}, {"bandwidth", 1e6}};
  return trace;
}

/// The same of a job that was stopped, so that nothing tells what its estimate misses; no rank lacked its processor.
std::vector<json> stopped(std::vector<json> trace) {
  for (json& line : trace) {
    line["cpu"] = line["compute"];
    if (line["superstep"].is_null()) line["job"]["finished"] = false;
  }
  return trace;
}

/// By its upper half, as the lower one may end at what a run takes at least.
double width(const json& found) {
  return 2 * (found.at("interval")[1].get<double>() - found.at("seconds").get<double>());
}

json lossy(const std::vector<json>& trace, std::vector<std::string> options = {}) {
  options.insert(options.end(), {"--model", "lbsp"});
  return answer(text_of(trace), options).at("estimates")[0];
}

double seconds(const std::vector<json>& trace, const std::vector<std::string>& options = {}) {
  return lossy(trace, options).at("seconds");
}

TEST(LossyEstimate, is_what_the_slowest_ranks_compute_and_their_exchanges_take) {
  // 3 s on rank 1, its megabyte, 2 s, an empty superstep, half a second, and one that ends the job, with a farewell.
  const double expected = 3 + (1 + 0.1) + 2 + 0.1 + 0.5 + 0.1 + 0.1;
  const json found = lossy(with_rate(small_trace()));
  EXPECT_EQ(found.at("model"), "lbsp");
  EXPECT_GT(found.at("seconds").get<double>(), expected);
  EXPECT_LT(found.at("seconds").get<double>(), expected + heads);
  const double communicating = found.at("seconds").get<double>() - 5.5;
  EXPECT_NEAR(width(lossy(stopped(with_rate(small_trace())))), 2 * 0.028 * communicating, 1e-3)
      << "without loss nothing varies";
}

TEST(LossyEstimate, stands_beside_the_longest_path) {
  const json both = answer(text_of(with_rate(small_trace())));
  EXPECT_EQ(both.at("estimates")[0].at("model"), "lbsp");
  EXPECT_EQ(both.at("estimates")[1].at("model"), "critical-path");
  EXPECT_GT(both.at("critical_path").size(), 0);
  EXPECT_EQ(answer(text_of(with_rate(small_trace())), {"--model", "lbsp"}).at("critical_path"),
            json::array());
  const TemporaryFolder folder;
  const Outcome text = estimate(folder, text_of(with_rate(small_trace(), 0.1)));
  EXPECT_THAT(text.output, HasSubstr("\nlossy BSP "));
  EXPECT_THAT(text.output, HasSubstr("\ncritical path "));
  EXPECT_THAT(text.output, HasSubstr("5.5 s computing"));
}

TEST(LossyEstimate, answers_for_another_network_and_faster_hosts) {
  const auto trace = with_rate(small_trace());
  const double as_recorded = seconds(trace);
  EXPECT_NEAR(seconds(trace, {"--flops", "2x"}), as_recorded - 5.5 / 2, 1e-9);
  EXPECT_NEAR(seconds(trace, {"--rtt", "2x"}), as_recorded + 0.4, 0.01);
  EXPECT_NEAR(seconds(trace, {"--rate", "2x"}), as_recorded - 0.5, heads);
  const json lossier = lossy(trace, {"--loss", "10%"});
  EXPECT_GT(lossier.at("seconds").get<double>(), as_recorded + 0.1) << "a tenth more is sent, at least";
  EXPECT_LT(lossier.at("interval")[0], lossier.at("seconds"));
  EXPECT_GT(lossier.at("interval")[1], lossier.at("seconds"));
  EXPECT_NEAR(seconds(with_rate(small_trace(), 0.05), {"--loss", "2x"}), lossier.at("seconds"), 1e-9);
}

/// The same with plans, by superstep: both took one second.
std::vector<json> planned(std::vector<json> trace, const json& first, const json& second) {
  for (json& line : trace)
    if (!line["superstep"].is_null()) line["predicted"] = line["superstep"] == 0 ? first : second;
  return trace;
}

TEST(LossyEstimate, knows_that_the_first_superstep_knew_nothing_of_the_network) {
  const auto trace = with_rate(small_trace(), 0.3);
  const double known = seconds(trace);
  const double unknown = seconds(planned(trace, nullptr, 1.0));
  EXPECT_GT(unknown, known + 0.01)
      << "its megabyte goes in shorter datagrams, protected against a usual loss";
  EXPECT_LT(unknown, known + 0.5);
  EXPECT_NEAR(seconds(planned(trace, 1.0, 1.0)), known, 1e-9) << "as with a profile";
}

TEST(LossyEstimate, has_what_the_hosts_added_to_the_recorded_supersteps) {
  const auto trace = stopped(with_rate(small_trace(), 0.1));
  const json as_planned = lossy(planned(trace, 1.0, 1.0));
  const json longer = lossy(planned(trace, 0.9, 0.9));
  const json varying = lossy(planned(trace, 1.0, 0.8));
  EXPECT_NEAR(as_planned.at("seconds"), seconds(trace), 1e-9);
  EXPECT_NEAR(longer.at("seconds"), as_planned.at("seconds").get<double>() + 0.2, 1e-9);
  EXPECT_NEAR(varying.at("seconds"), longer.at("seconds"), 1e-9);
  EXPECT_NEAR(width(longer), width(as_planned), 0.02);
  EXPECT_GT(width(varying), width(longer) + 0.5);
}

TEST(LossyEstimate, is_as_uncertain_as_what_it_misses_of_the_recorded_run) {
  constexpr double both_sides = 2 * 1.645;
  std::vector<json> trace = stopped(with_rate(small_trace()));
  const double certain = width(lossy(trace));
  const double as_recorded = seconds(trace);
  for (const std::size_t end : {4U, 5U}) {
    trace[end]["job"]["finished"] = true;
    trace[end]["seconds"]["total"] = as_recorded + 1;
  }
  EXPECT_NEAR(width(lossy(trace)), certain + both_sides, 0.01);
  EXPECT_NEAR(lossy(trace).at("interval")[0], 3 + 2 + 0.5 + 2 * 0.1, 1e-9) << "no run takes less";
  EXPECT_NEAR(width(lossy(trace, {"--rtt", "400ms"})), both_sides, 0.2) << "on another network too";
  trace[2]["cpu"] = 2.5;
  EXPECT_NEAR(width(lossy(trace)), certain + both_sides * std::hypot(1, 0.5), 0.01)
      << "the rank was without a processor for half a second";
}

TEST(LossyEstimate, counts_what_the_rank_sends_that_sends_most) {
  std::vector<json> scatter;
  for (const int rank : {0, 1, 2}) {
    scatter.push_back(trace_line(rank, 0));
    if (rank == 0) scatter.back()["to"] = {{1, 1e6}, {2, 1e6}};
    if (rank == 1) scatter.back()["to"] = {{2, 1e6}};
    scatter.push_back(small_trace()[4]);
    scatter.back()["rank"] = rank;
    scatter.back()["job"]["ranks"] = 3;
  }
  const double both_megabytes = 2 + 2 + 0.1 + 0.5 + 0.2;
  EXPECT_NEAR(seconds(with_rate(scatter)), both_megabytes, 2 * heads);
  for (json& line : scatter)
    if (line.contains("job")) line["job"]["host"] = line["rank"] == 1 ? "there" : "here";
  EXPECT_NEAR(seconds(with_rate(scatter)), both_megabytes - 1, heads) << "rank 2 is on the host of rank 0";
}

TEST(LossyEstimate, counts_each_superstep_of_a_record) {
  auto trace = with_rate(small_trace());
  const double separate = seconds(trace);
  trace.erase(trace.begin() + 3);
  trace.erase(trace.begin() + 1);
  for (const std::size_t record : {0U, 1U}) {
    trace[record]["supersteps"] = 2;
    trace[record]["compute"] = trace[record]["cpu"] = 5.0;
    trace[record]["to"] = {{1 - trace[record]["rank"].get<int>(), 1e6}};
  }
  EXPECT_NEAR(seconds(trace), separate + 0.0, heads) << "two supersteps of half a megabyte";
}

TEST(LossyEstimate, needs_a_network) {
  EXPECT_EQ(answer(text_of(small_trace())).at("estimates")[0].at("model"), "critical-path")
      << "the rate is not known";
  expect_refused(text_of(small_trace()), "no network", {"--model", "lbsp"});
  EXPECT_NEAR(seconds(small_trace(), {"--rate", "8Mbit"}), seconds(with_rate(small_trace())), 1e-9);
  expect_refused(text_of(with_rate(small_trace(), 0.5)), "a loss of 100 %: lbsp predicts up to 90 %",
                 {"--loss", "2x"});
  expect_refused(text_of(with_rate(small_trace())), "a loss of 91 %", {"--loss", "91%"});
  const TemporaryFolder folder;
  EXPECT_THAT(estimate(folder, text_of(small_trace())).output,
              HasSubstr("lossy BSP      not known without a round trip above 0 and a rate"));
  expect_refused(text_of(with_rate(small_trace())), "--rtt 0: lbsp predicts no superstep without a delay",
                 {"--rtt", "0", "--model", "lbsp"});
  expect_refused(text_of(small_trace()), "--loss 100%", {"--loss", "100%"});
}

TEST(LossyEstimate, knows_the_network_of_a_job_that_did_not_come_to_its_end) {
  auto trace = with_rate(small_trace());
  for (const std::size_t end : {4U, 5U}) {
    trace[end]["cpu"] = nullptr;
    trace[end]["network"] = nullptr;
    trace[end]["job"]["finished"] = false;
  }
  EXPECT_NEAR(seconds(trace), seconds(with_rate(small_trace())), 1e-9);
}

std::vector<json> of_program(const std::string& program, const std::vector<std::string>& arguments,
                             double loss = 0) {
  auto trace = with_rate(small_trace(), loss);
  for (const std::size_t end : {4U, 5U}) {
    trace[end]["job"]["program"] = program;
    trace[end]["job"]["arguments"] = arguments;
  }
  return trace;
}

TEST(LossyEstimate, answers_for_another_number_of_ranks_of_a_ready_program) {
  const auto trace = of_program("fft2d", {"--size", "1000", "--no-verify"});
  // 5.5 s on two ranks; on four half of that, and two transposes of three blocks of a megabyte.
  const double four = 5.5 / 2 + 2 * (3 + 0.1) + 0.1 + 0.2;
  EXPECT_NEAR(seconds(trace, {"-n", "4"}), four, 6 * heads);
  EXPECT_NEAR(seconds(trace, {"-n", "1"}), 11, 1e-9);
  EXPECT_NEAR(seconds(trace, {"-n", "1", "--flops", "2x"}), 5.5, 1e-9);
  EXPECT_GT(seconds(trace, {"-n", "4", "--loss", "10%"}), four + 0.5);
  const auto jacobi =
      of_program("/usr/bin/jacobi", {"--size", "202", "--iterations", "100", "--halo", "10", "--no-verify"});
  // Ten supersteps of ten rows of 202 points to each of two neighbours.
  EXPECT_NEAR(seconds(jacobi, {"-n", "4", "--flops", "1e6x"}), 10 * (2 * 10 * 202 * 8e-6 + 0.1) + 0.3, 0.1);
}

TEST(LossyEstimate, has_what_the_hosts_added_on_another_number_of_ranks_too) {
  const auto trace = of_program("fft2d", {"--size", "1000", "--no-verify"});
  const auto on = [&](const char* ranks, double plan) {
    return seconds(planned(trace, plan, plan), {"-n", ranks});
  };
  EXPECT_NEAR(on("4", 0.9), on("4", 1.0) + 3 * 0.1, 1e-9) << "two transposes, and what tells the times";
  EXPECT_NEAR(on("1", 0.9), on("1", 1.0), 1e-9) << "one rank exchanges nothing";
}

TEST(LossyEstimate, is_more_uncertain_on_more_ranks) {
  const auto wide = [](const std::vector<json>& trace) { return width(lossy(trace, {"-n", "4"})); };
  std::vector<json> trace = stopped(of_program("fft2d", {"--size", "1000", "--no-verify"}));
  const double certain = wide(trace);
  const double as_recorded = seconds(trace);
  EXPECT_GT(wide(planned(trace, 0.5, 0.5)), certain + 1)
      << "the hosts may add twice as much where twice as many ranks share them";
  for (const std::size_t end : {4U, 5U}) {
    trace[end]["job"]["finished"] = true;
    trace[end]["seconds"]["total"] = as_recorded + 1;
  }
  EXPECT_NEAR(wide(trace), certain + 2 * 1.645 * 2, 0.5);
}

TEST(LossyEstimate, knows_on_another_number_of_ranks_too_that_the_first_superstep_knew_nothing) {
  const auto difference = [](const std::string& name, const std::string& size) {
    const auto trace = of_program(name, {"--size", size, "--no-verify"}, 0.3);
    const std::vector<std::string> four{"-n", "4"};
    return seconds(planned(trace, nullptr, 1.0), four) - seconds(planned(trace, 1.0, 1.0), four);
  };
  EXPECT_GT(std::abs(difference("fft2d", "1000")), 0.1)
      << "three megabytes in shorter datagrams, protected against another loss";
  const double of_a_short_one = std::abs(difference("bitonic_sort", "500000"));
  EXPECT_LT(of_a_short_one, 0.05) << "it has the type of the keys, not the megabyte of keys";
  EXPECT_GT(of_a_short_one, 0);
}

TEST(LossyEstimate, knows_only_ready_programs_on_another_number_of_ranks) {
  const std::string plain = text_of(of_program("matmul", {"--size", "512", "--no-verify"}));
  expect_refused(plain, "does not run on so many: give 1 or 4", {"-n", "3"});
  expect_refused(plain, "-n 0", {"-n", "0"});
  expect_refused(plain, "ranks at most", {"-n", "1e9"});
  expect_refused(plain, "use --model lbsp", {"-n", "4", "--model", "critical-path"});
  expect_refused(text_of(with_rate(small_trace())), "the trace is of own", {"-n", "4"});
  expect_refused(text_of(of_program("fft2d", {"--size", "512"})), "verified", {"-n", "4"});
  expect_refused(text_of(of_program("fft2d", {"--no-verify"})), "--size is not in the trace", {"-n", "4"});
  expect_refused(text_of(of_program("fft2d", {"--in", "x.npy", "--no-verify"})), "fft2d --in", {"-n", "4"});
  expect_refused(text_of(of_program("fft2d", {"--no-verify", "--size"})), "has no value", {"-n", "4"});
}

TEST(LossyEstimate, counts_for_each_rank_the_rate_at_which_it_sent) {
  // Rank 0 sends as much as rank 1, at a tenth of its rate: 10 s, not 1, and 9 more.
  std::vector<json> trace = with_rate(small_trace());
  trace[0]["to"] = {{1, 1e6}};
  const double alike = seconds(trace);
  for (const std::size_t line : {0U, 1U, 4U})
    trace[line]["network"]["rate"] = 1e5;
  EXPECT_NEAR(seconds(trace) - alike, 9, 9 * heads);
  // Told another rate, all have it.
  EXPECT_NEAR(seconds(trace, {"--rate", "8Mbit"}), alike, 0.01);
}

TEST(LongestPath, counts_for_a_slow_sender_the_rate_at_which_it_sent) {
  std::vector<json> trace = with_rate(small_trace());
  const auto longest = [&](std::vector<std::string> options) {
    options.insert(options.end(), {"--model", "critical-path"});
    return answer(text_of(trace), options).at("estimates")[0].at("seconds").get<double>();
  };
  const double alike = longest({});
  for (const std::size_t line : {2U, 3U, 5U})
    trace[line]["network"]["rate"] = 1e5;
  EXPECT_NEAR(longest({}) - alike, 9, 0.01);
  EXPECT_NEAR(longest({"--rate", "8Mbit"}), alike, 0.01);
}

}  // namespace
}  // namespace lbsp::test
