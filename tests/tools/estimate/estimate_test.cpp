// lbsp estimate, started as a user starts it.
#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/sanitized.hpp"
#include "tests/tools/estimate/estimate_outcome.hpp"
#include "tests/tools/estimate/small_trace.hpp"

namespace lbsp::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

TEST(EstimateCommand, finds_the_longest_path_of_a_trace) {
  const json got = answer(text_of(small_trace()));
  EXPECT_EQ(got.at("measured"), 20.0);
  // 3 s on rank 1, its megabyte (0.1 + 1), 1 s on rank 0, an empty message (0.1), 0.25 s on rank 1, and another's end.
  const double expected = 3 + 1.1 + 1 + 0.1 + 0.25 + 0.1;
  const json& found = got.at("estimates")[0];
  EXPECT_EQ(found.at("model"), "critical-path");
  EXPECT_NEAR(found.at("seconds").get<double>(), expected, 1e-12);
  const json& path = got.at("critical_path");
  ASSERT_EQ(path.size(), 6);
  EXPECT_EQ(path[0], (json{{"kind", "compute"}, {"rank", 1}, {"superstep", 0}, {"seconds", 3.0}}));
  EXPECT_EQ(path[1].at("kind"), "message");
  EXPECT_NEAR(path[1].at("seconds").get<double>(), 1.1, 1e-12);
  EXPECT_EQ(path[2].at("superstep"), 1);
  EXPECT_EQ(got.at("slack").size(), 2);
}

TEST(EstimateCommand, estimates_the_trace_on_another_network_and_faster_hosts) {
  const auto seconds = [](std::vector<std::string> options) {
    options.insert(options.end(), {"--model", "critical-path"});
    return answer(text_of(small_trace()), options).at("estimates")[0].at("seconds").get<double>();
  };
  EXPECT_NEAR(seconds({"--rtt", "2x"}), 3 + 1.2 + 1 + 0.2 + 0.25 + 0.2, 1e-12);
  EXPECT_NEAR(seconds({"--rtt", "400ms"}), seconds({"--rtt", "2x"}), 1e-12);
  EXPECT_NEAR(seconds({"--rate", "16Mbit"}), seconds({}) - 0.5, 1e-12);
  EXPECT_NEAR(seconds({"--flops", "2x", "--rtt", "0"}), 1.5 + 1 + 0.5 + 0.125, 1e-12);
  expect_refused(text_of(small_trace()), "4x", {"--flops", "1e9"});
  expect_refused(text_of(small_trace()), "--model", {"--model", "pmm"});
  expect_refused(text_of(small_trace()), "--rtt 0x: give a factor", {"--rtt", "0x"});
}

TEST(EstimateCommand, makes_messages_slower_as_their_ranks_send_more_slowly) {
  std::vector<json> trace = small_trace();
  for (json& line : trace)
    line["network"]["rate"] = 3e6;  // shared by three messages
  const auto seconds = [&](const std::vector<std::string>& rate) {
    std::vector<std::string> options{"--model", "critical-path"};
    options.insert(options.end(), rate.begin(), rate.end());
    return answer(text_of(trace), options).at("estimates")[0].at("seconds").get<double>();
  };
  EXPECT_NEAR(seconds({"--rate", "12Mbit"}), seconds({}) + 1, 1e-9);
  EXPECT_NEAR(seconds({"--rate", "12Mbit"}), seconds({"--rate", "0.5x"}), 1e-9);
}

TEST(EstimateCommand, takes_what_ranks_send_for_the_bandwidth_of_a_run_too_short_to_measure_it) {
  std::vector<json> trace = small_trace();
  const auto seconds = [&](const std::vector<std::string>& rate) {
    std::vector<std::string> options{"--model", "critical-path"};
    options.insert(options.end(), rate.begin(), rate.end());
    return answer(text_of(trace), options).at("estimates")[0].at("seconds").get<double>();
  };
  const double measured = seconds({});
  for (json& line : trace)
    line["network"] = {{"loss", 0}, {"rtt", 0.2}, {"rate", 1e6}, {"bandwidth", 0}};
  EXPECT_NEAR(seconds({}), measured, 1e-9);
  EXPECT_NEAR(seconds({"--rate", "4Mbit"}), measured + 1, 1e-9);
}

TEST(EstimateCommand, names_a_trace_that_its_answer_would_replace) {
  const TemporaryFolder folder;
  const std::string trace = folder.write("trace", text_of(small_trace()));
  const auto outcome = Command({built("lbsp"), "estimate", trace, "--json", trace}).wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("--json " + trace + " would replace what is read"));
  EXPECT_EQ(folder.read("trace"), text_of(small_trace()));
}

TEST(EstimateCommand, refuses_traces_that_are_none_in_one_line) {
  using Change = std::function<void(std::vector<json>&)>;
  const std::vector<std::pair<std::string, Change>> bad{
      {"says no version", [](auto& trace) { trace[1].erase("version"); }},
      {"no line of a trace", [](auto& trace) { trace[1] = nlohmann::json::object(); }},
      {"version 3", [](auto& trace) { trace[0]["version"] = 3; }},
      {"cut short", [](auto& trace) { trace.pop_back(); }},
      {"cut short", [](auto& trace) { trace.resize(3); }},
      {"disagree", [](auto& trace) { trace.erase(trace.begin() + 3); }},
      {"disagree", [](auto& trace) { trace[5]["job"]["ranks"] = 3; }},
      {"disagree", [](auto& trace) { trace[4]["job"]["program"] = "other"; }},
      {"ends twice", [](auto& trace) { trace[5]["rank"] = 0; }},
      {"is expected", [](auto& trace) { trace[1]["superstep"] = 2; }},
      {"used the processor", [](auto& trace) { trace[0]["cpu"] = 2.5; }},
      {"waited for", [](auto& trace) { trace[0]["waiting"] = 1.5; }},
      {"the whole job", [](auto& trace) { trace[4]["seconds"]["total"] = 5.0; }},
      {"compute is -1", [](auto& trace) { trace[0]["compute"] = -1; }},
      {"run, line 1: cpu is missing: record", [](auto& trace) { trace[0]["cpu"] = nullptr; }},
      {"line 1: it used", [](auto& trace) { trace[0]["cpu"] = 2.5; }},
      {"sends to rank",
       [](auto& trace) {
         trace[0]["to"] = {{7, 10}};
       }},
      {"to[1] is [0,20]: rank 0 is there twice",
       [](auto& trace) {
         trace[2]["to"] = {{0, 10}, {0, 20}};
       }},
      {"network_cpu is 1000.0: two threads had a processor for no more than",
       [](auto& trace) { trace[4]["network_cpu"] = 1000.0; }},
      {"network_cpu is -1.0", [](auto& trace) { trace[1]["network_cpu"] = -1.0; }},
      {"told nothing", [](auto& trace) { trace[4]["told"] = false; }}};
  for (const auto& [said, change] : bad) {
    std::vector<json> trace = small_trace();
    change(trace);
    expect_refused(text_of(trace), said);
  }
  const std::string whole = text_of(small_trace());
  expect_refused(whole.substr(0, whole.size() - 1), "cut short");
  expect_refused(whole.substr(0, whole.size() - 100), "cut short");
  expect_refused("{\"to\": [" + std::string(std::size_t{17} << 20, ' ') + "]}\n",
                 "more than any line of a trace");
  expect_refused("", "empty");
  expect_refused("nonsense\n", "no line of a trace");
  const json report = {{"version", 1}, {"steps", json::array()}, {"per_rank", json::array()}};
  const std::string advice = "no trace: give one that lbsp run --trace has written";
  for (const std::string& text : {report.dump() + "\n", report.dump(1) + "\n"})
    expect_refused(text, "this is the report of a run, and " + advice);
  const json profile = {{"version", 1}, {"hosts", json::array()}, {"pairs", json::array()}};
  expect_refused(profile.dump(1) + "\n", "this is a profile of a network, and " + advice);
  expect_refused("[1, 2]\n", "no line of a trace");
}

TEST(EstimateCommand, refuses_what_nests_too_deep_before_it_parses_all_of_it) {
  const auto begun = std::chrono::steady_clock::now();
  expect_refused(std::string(std::size_t{60} << 20, '['),
                 "more than 256 lists and objects open in each other");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds{5} * test::patience_factor);
}

TEST(EstimateCommand, refuses_a_multiple_of_what_the_trace_has_not) {
  std::vector<json> trace = small_trace();
  for (json& line : trace)
    line["network"] = {{"loss", 0.0}, {"rtt", 0.0}, {"rate", 0.0}, {"bandwidth", 0.0}};
  expect_refused(text_of(trace), "--rtt 2x: the trace has no round trip", {"--rtt", "2x"});
  expect_refused(text_of(trace), "--rate 0.5x: the trace has no rate", {"--rate", "0.5x"});
  EXPECT_GT(answer(text_of(trace), {"--rtt", "20ms", "--rate", "1Mbit"}).at("estimates").size(), 0);
  EXPECT_GT(answer(text_of(trace), {"--loss", "2x", "--rtt", "1x"}).at("estimates").size(), 0);
}

TEST(EstimateCommand, refuses_numbers_that_no_run_has) {
  using Change = std::function<void(std::vector<json>&)>;
  const std::vector<std::pair<std::string, Change>> bad{
      {"network.bandwidth", [](auto& trace) { trace[5]["network"]["bandwidth"] = 1e-300; }},
      {"network.bandwidth", [](auto& trace) { trace[5]["network"]["bandwidth"] = 1e300; }},
      {"network.rtt", [](auto& trace) { trace[5]["network"]["rtt"] = 2e9; }},
      {"to[0][1]", [](auto& trace) { trace[2]["to"][0][1] = 1e300; }},
      {"line 1: compute", [](auto& trace) { trace[0]["compute"] = 1e300; }},
      {"line 1: h is -1", [](auto& trace) { trace[0]["h"] = -1; }},
      {"line 1: packets.sent", [](auto& trace) { trace[0]["packets"]["sent"] = 1.5; }},
      {"line 2: bytes.wire",
       [](auto& trace) {
         trace[1]["bytes"] = {{"wire", -3}};
       }},
      {"line 1: predicted", [](auto& trace) { trace[0]["predicted"] = 1e300; }},
      {"line 1: interval is [2.1,3.0]: 2 s was predicted",
       [](auto& trace) {
         trace[0]["predicted"] = 2.0;
         trace[0]["interval"] = {2.1, 3.0};
       }},
      {"line 1: interval is [2.0]: give two times",
       [](auto& trace) {
         trace[0]["predicted"] = 2.0;
         trace[0]["interval"] = {2.0};
       }},
      {"line 5: seconds.end", [](auto& trace) { trace[4]["seconds"]["end"] = 1e300; }},
      {"line 5: compute", [](auto& trace) { trace[4]["compute"] = 1e300; }},
      {"seconds.total", [](auto& trace) { trace[4]["seconds"]["total"] = 1e300; }},
      {"the estimate is 1e+11 s", [](auto& trace) {
         trace[2]["to"][0][1] = 1e11;
         for (const std::size_t end : {4U, 5U})
           trace[end]["network"]["bandwidth"] = 1;
       }}};
  for (const auto& [said, change] : bad) {
    std::vector<json> trace = small_trace();
    change(trace);
    expect_refused(text_of(trace), said);
  }
  expect_refused(text_of(small_trace()), "--flops 1e-300x: give a factor from 1e-09x",
                 {"--flops", "1e-300x"});
  for (const std::string factor : {"1e300x", "x", "nanx", "0x", "-1x", "2xx"})
    expect_refused(text_of(small_trace()), "--rtt " + factor + ": give a factor", {"--rtt", factor});
  expect_refused(text_of(small_trace()), "--rtt '-5ms' is not a time", {"--rtt", "-5ms"});
  expect_refused(text_of(small_trace()), "--rate '2' is not a rate", {"--rate", "2"});
  expect_refused(text_of(small_trace()), "the estimate is 4.25e+09 s", {"--flops", "1e-9x", "--rtt", "0"});
}

TEST(EstimateCommand, gives_an_interval_only_where_three_supersteps_tell_how_they_differ) {
  const TemporaryFolder folder;
  const auto trace_of = [](int supersteps) {
    std::vector<json> trace;
    for (int k = 0; k < supersteps; ++k) {
      for (const int rank : {0, 1}) {
        trace.push_back(trace_line(rank, k));
        trace.back()["compute"] = trace.back()["cpu"] = 1.0 + k;
      }
    }
    const std::vector<json> small = small_trace();
    trace.insert(trace.end(), small.end() - 2, small.end());
    return text_of(trace);
  };
  const std::vector<std::string> by_path{"--model", "critical-path"};
  const std::string nothing = "No superstep was finished on all ranks";
  for (const int supersteps : {0, 1, 2}) {
    EXPECT_EQ(answer(trace_of(supersteps)).at("estimates")[0].at("interval"), nullptr) << supersteps;
    const Outcome outcome = estimate(folder, trace_of(supersteps), by_path);
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_THAT(outcome.output, testing::Not(HasSubstr("nine of ten runs"))) << supersteps;
    EXPECT_EQ(outcome.output.find(nothing) != std::string::npos, supersteps == 0) << outcome.output;
  }
  const json found = answer(trace_of(3)).at("estimates")[0];
  EXPECT_LT(found.at("interval")[0], found.at("seconds"));
  EXPECT_NEAR(found.at("interval")[0], 1 + 2 + 3 + 0.25 + 3 * 0.1, 1e-9) << "of what no run takes less than";
  EXPECT_GT(found.at("interval")[1], found.at("seconds"));
  EXPECT_THAT(estimate(folder, trace_of(3), by_path).output, HasSubstr(" in nine of ten runs\n"));
  EXPECT_THAT(estimate(folder, trace_of(1)).output, StartsWith("own on 2 ranks over udp, 1 superstep\n"));
}

TEST(EstimateCommand, shows_a_terminal_no_control_characters_of_a_trace) {
  std::vector<json> trace = small_trace();
  for (const std::size_t end : {4U, 5U}) {
    trace[end]["job"]["program"] = "\x1b]0;title\x07own\nmeasured 1 s";
    trace[end]["job"]["backend"] = "\x1b[2J";
  }
  const TemporaryFolder folder;
  const Outcome outcome = estimate(folder, text_of(trace));
  EXPECT_THAT(outcome.output, StartsWith("\\x1b]0;title\\x07own measured 1 s on 2 ranks over \\x1b[2J, "));
}

TEST(EstimateCommand, keeps_what_all_ranks_of_an_unfinished_job_have_done) {
  std::vector<json> trace = small_trace();
  trace.erase(trace.begin() + 3);
  for (const std::size_t end : {3U, 4U})
    trace[end]["job"]["finished"] = false;
  EXPECT_NEAR(answer(text_of(trace)).at("estimates")[0].at("seconds").get<double>(), 3 + 1.1 + 0.25 + 0.1,
              1e-12);
}

TEST(EstimateCommand, reads_what_a_run_has_traced) {
  const TemporaryFolder folder;
  const std::string trace = folder.path() / "trace";
  const Outcome run_outcome =
      run({"-n", "3", "--wan", "rtt=10ms", "--trace", trace, "--json", "-", "--", "fft2d", "--size", "64"});
  ASSERT_EQ(run_outcome.code, 0) << run_outcome.errors;
  const json got = answer(folder.read("trace"));
  EXPECT_EQ(got.at("measured"), json::parse(run_outcome.output).at("seconds").at("total"));
  const double seconds = got.at("estimates")[1].at("seconds");
  double sum = 0;
  for (const json& stretch : got.at("critical_path"))
    sum += stretch.at("seconds").get<double>();
  EXPECT_NEAR(sum, seconds, 1e-9);
  EXPECT_GT(got.at("estimates")[0].at("seconds").get<double>(), 0.015) << "as many supersteps, and the end";
  EXPECT_GT(seconds, 0.005);  // three supersteps with messages of half a round trip
  const Outcome text = estimate(folder, folder.read("trace"));
  EXPECT_THAT(text.output, HasSubstr("On machines of its own this run takes "));
}

TEST(EstimateCommand, reads_the_trace_of_a_run_that_failed) {
  const TemporaryFolder folder;
  const std::string trace = folder.path() / "trace";
  const Outcome failed = run({"-n", "2", "--trace", trace, "--", built("job_probe"), "throw", "1", "disk"});
  EXPECT_NE(failed.code, 0);
  const Outcome got = estimate(folder, folder.read("trace"));
  EXPECT_EQ(got.code, 0) << got.errors;
  EXPECT_THAT(got.output, HasSubstr("NOT FINISHED"));
}

TEST(EstimateCommand, shows_an_example_and_says_what_is_missing) {
  EXPECT_THAT(Command({built("lbsp"), "estimate", "--help"}).wait().output, HasSubstr("Example: lbsp run"));
  EXPECT_THAT(Command({built("lbsp"), "estimate"}).wait().errors, HasSubstr("no trace: give the file"));
  EXPECT_THAT(Command({built("lbsp"), "estimate", "/nowhere/trace"}).wait().errors,
              HasSubstr("/nowhere/trace"));
  EXPECT_THAT(Command({built("lbsp"), "estimate", "/dev/zero"}).wait().errors,
              HasSubstr("cannot read the trace /dev/zero: it is a device: give a file or a pipe"));
  EXPECT_THAT(
      Command({"sh", "-c", "echo nonsense | " + built("lbsp") + " estimate /dev/stdin"}).wait().errors,
      HasSubstr("no line of a trace"));
}

}  // namespace
}  // namespace lbsp::test
