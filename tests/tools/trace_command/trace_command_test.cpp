// lbsp trace convert and lbsp report, started as a user starts them, and the alignment of clocks.
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/tools/command.hpp"
#include "tests/tools/trace_command/slow_trace.hpp"
#include "tools/trace_command/otf2.hpp"
#include "tools/trace_file/clocks.hpp"

namespace lbsp::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using trace_file::Step;
using trace_file::Trace;

/// Two ranks of which the second's clock begins `late` seconds after the first's: each computes for a second, then
/// waits until the other's message has come, which takes `passage`.
Trace two_ranks(double late, double passage) {
  Trace trace;
  trace.ends.resize(2);
  trace.steps.resize(2);
  double begins[] = {0, late};
  for (std::uint64_t k = 0; k < 4; ++k) {
    // Whoever is slower takes turns, so that both directions are seen without a wait in between.
    const double called[] = {begins[0] + 1 + static_cast<double>(k % 2),
                             begins[1] + 1 + static_cast<double>((k + 1) % 2)};
    for (std::size_t rank = 0; rank < 2; ++rank) {
      const double ended = std::max(called[rank], called[1 - rank] + passage);
      Step step;
      step.first = k;
      step.compute = called[rank] - begins[rank];
      step.communicate = step.waiting = ended - called[rank];
      trace.steps[rank].push_back(step);
      begins[rank] = ended;
    }
  }
  return trace;
}

TEST(Clocks, are_aligned_by_the_messages_within_the_time_that_a_message_takes) {
  for (const double late : {-0.4, 0.0, 0.3}) {
    const auto lines = align(two_ranks(late, 0.01));
    EXPECT_LE(lines.errors[1], 0.011) << late;
    EXPECT_NEAR(lines.shifts[1], late, lines.errors[1] + 1e-12) << late;
    EXPECT_EQ(lines.shifts[0], 0);
    EXPECT_EQ(lines.errors[0], 0);
    EXPECT_NEAR(lines.steps[1][0].began, lines.shifts[1], 1e-12);
  }
}

TEST(Clocks, cannot_be_aligned_by_records_of_several_supersteps) {
  Trace trace = two_ranks(0.3, 0.01);
  for (auto& steps : trace.steps)
    for (Step& step : steps)
      step.supersteps = 2;
  const auto lines = align(trace);
  EXPECT_EQ(lines.errors[1], std::numeric_limits<double>::infinity());
  EXPECT_EQ(lines.shifts[1], 0);
}

TEST(TraceCommand, converts_a_run_to_what_the_trace_viewer_reads) {
  const TemporaryFolder folder;
  const std::string trace = folder.path() / "trace";
  const std::string out = folder.path() / "out.json";
  const Outcome ran =
      run({"-n", "3", "--wan", "rtt=10ms", "--copies", "2", "--trace", trace, "--", "fft2d", "--size", "64"});
  ASSERT_EQ(ran.code, 0) << ran.errors;
  const Outcome converted = convert({trace, "--to", "perfetto", "-o", out});
  ASSERT_EQ(converted.code, 0) << converted.errors;
  EXPECT_THAT(converted.output, HasSubstr("clocks are aligned within"));

  const json viewed = json::parse(folder.read("out.json"));
  std::map<std::string, int> kinds;
  std::map<int, double> ends;  // by track: of its last slice
  std::map<std::string, double> arrows;
  double redundancy = 0;
  for (const json& event : viewed.at("traceEvents")) {
    const std::string kind = event.at("ph");
    ++kinds[kind];
    if (kind == "M") continue;
    EXPECT_GE(event.at("ts"), 0) << event;
    if (kind == "X") {
      // A track's slices follow each other.
      double& end = ends[event.at("tid").get<int>()];
      EXPECT_GE(event.at("ts").get<double>(), end - 1e-3) << event;
      end = event.at("ts").get<double>() + event.at("dur").get<double>();
    }
    if (event.at("name").get<std::string>().starts_with("redundancy"))
      redundancy += event.at("args").at("segments").get<double>();
    if (kind == "s") arrows[event.at("id").dump()] = event.at("ts");
    if (kind == "f") {
      EXPECT_LE(arrows.at(event.at("id").dump()), event.at("ts").get<double>());
    }
  }
  EXPECT_EQ(kinds["M"], 4);
  EXPECT_EQ(ends.size(), 3U);
  EXPECT_EQ(kinds["s"], kinds["f"]);
  EXPECT_GT(kinds["s"], 0);
  EXPECT_GT(kinds["C"], 0);
  double sent_in_advance = 0;
  for (const std::string& text : lines_of(folder.read("trace"))) {
    const json packets = json::parse(text).at("packets");
    if (!json::parse(text).at("superstep").is_null())
      sent_in_advance += packets.at("copies").get<double>() + packets.at("coded").get<double>();
  }
  EXPECT_EQ(redundancy, sent_in_advance);
  EXPECT_GT(redundancy, 0);
  EXPECT_EQ(viewed.at("otherData").at("ranks"), 3);
}

TEST(TraceCommand, writes_no_control_characters_of_a_trace) {
  const TemporaryFolder folder;
  const std::string trace = folder.write("trace", slow_trace(1));
  const Outcome outcome = convert({trace, "--to", "perfetto", "-o", folder.path() / "out"});
  EXPECT_THAT(outcome.output, HasSubstr("out: 2 ranks, 1 superstep, clocks"));
  const json viewed = json::parse(folder.read("out"));
  EXPECT_EQ(viewed.at("otherData").at("program"), "<own> & \\x1b[2J only");
  EXPECT_EQ(viewed.at("traceEvents")[1].at("args").at("name"), "rank 0 on \\x1b[1mhere");
}

/// As on a full disk: the system refuses what is longer.
TEST(TraceCommand, names_an_archive_for_which_there_is_no_room_and_leaves_nothing_of_it) {
  if (!trace_command::can_write_otf2()) GTEST_SKIP() << "built without OTF2";
  const TemporaryFolder folder;
  const std::string trace = folder.write("trace", slow_trace(4));
  const std::string archive = folder.path() / "archive";
  const Outcome outcome = Command({"sh", "-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"", built("lbsp"),
                                   "trace", "convert", trace, "--to", "otf2", "-o", archive})
                              .wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, testing::StartsWith("lbsp: cannot write " + archive + ": "));
  EXPECT_THAT(outcome.errors, testing::EndsWith(": make room for it there, or give another path\n"));
  EXPECT_FALSE(std::filesystem::exists(archive));
}

TEST(TraceCommand, writes_an_archive_that_otf2_print_reads) {
  if (!trace_command::can_write_otf2()) GTEST_SKIP() << "built without OTF2";
  const TemporaryFolder folder;
  const std::string trace = folder.path() / "trace";
  ASSERT_EQ(run({"-n", "3", "--wan", "rtt=5ms", "--trace", trace, "--", "fft2d", "--size", "64"}).code, 0);
  const std::string archive = folder.path() / "archive";
  const Outcome outcome = convert({trace, "--to", "otf2", "-o", archive});
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("archive: 3 ranks, "));
  EXPECT_THAT(convert({trace, "--to", "otf2", "-o", archive}).errors, HasSubstr("is there already"));
  const Outcome printed = Command({"otf2-print", archive + "/trace.otf2"}).wait();
  if (printed.code == 127) GTEST_SKIP() << "no otf2-print here";
  EXPECT_EQ(printed.code, 0) << printed.errors;
  EXPECT_EQ(printed.errors, "");
  std::map<std::string, int> entered;
  for (const std::string& line : lines_of(printed.output))
    for (const char* region : {"computing", "waiting", "taking apart"})
      if (line.starts_with("ENTER") && line.find(region) != std::string::npos) ++entered[region];
  EXPECT_GT(entered["computing"], 0);
  EXPECT_EQ(entered["computing"] % 3, 0);
  EXPECT_EQ(entered["waiting"], entered["computing"]);
  EXPECT_EQ(entered["taking apart"], entered["computing"]);
  const Outcome defined = Command({"otf2-print", "-G", archive + "/trace.otf2"}).wait();
  for (const char* known : {"rank 2", "localhost", "round trip", "redundancy", "network thread", "fft2d"})
    EXPECT_THAT(defined.output, HasSubstr(known));
}

TEST(TraceCommand, leaves_nothing_of_an_archive_that_cannot_be_written) {
  if (!trace_command::can_write_otf2()) GTEST_SKIP() << "built without OTF2";
  const TemporaryFolder folder;
  const std::string trace = folder.write("trace", slow_trace(1));
  const Outcome outcome = convert({trace, "--to", "otf2", "-o", "/proc/nowhere"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, AllOf(HasSubstr("lbsp: "), HasSubstr("cannot write /proc/nowhere: ")));
  EXPECT_EQ(lines_of(outcome.errors).size(), 1U) << outcome.errors;
  EXPECT_THAT(convert({trace, "--to", "otf2", "-o", folder.path() / "nowhere/archive"}).errors,
              HasSubstr("give a path in a folder that is there"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "nowhere"));
}

TEST(TraceCommand, says_that_without_a_superstep_no_clocks_are_aligned) {
  const TemporaryFolder folder;
  std::istringstream lines(slow_trace(1));
  std::string ends;
  for (std::string line; std::getline(lines, line);)
    if (json::parse(line)["superstep"].is_null()) ends += line + '\n';
  const Outcome outcome =
      convert({folder.write("trace", ends), "--to", "perfetto", "-o", folder.path() / "out.json"});
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("not aligned: there is no superstep that all ranks have done"));
}

TEST(TraceCommand, says_what_is_missing_or_wrong_in_one_line) {
  const TemporaryFolder folder;
  const std::string bad = folder.write("bad", "nonsense\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{}, "no trace"},
      {{bad}, "--to is missing"},
      {{bad, "--to", "perfetto"}, "-o is missing"},
      {{bad, "--to", "svg", "-o", "out"}, "--to"},
      {{bad, "--to", "perfetto", "-o", folder.path() / "out"}, "no line of a trace"},
      {{"/nowhere", "--to", "perfetto", "-o", folder.path() / "out"}, "/nowhere"}};
  for (const auto& [words, said] : cases) {
    const Outcome outcome = convert(words);
    EXPECT_EQ(outcome.code, 1) << said;
    EXPECT_THAT(outcome.errors, HasSubstr(said));
    EXPECT_EQ(outcome.errors.find('\n'), outcome.errors.size() - 1) << outcome.errors;
  }
  EXPECT_EQ(folder.files(), 1U);
  EXPECT_THAT(Command({built("lbsp"), "trace"}).wait().errors, HasSubstr("use convert"));
  EXPECT_THAT(Command({built("lbsp"), "trace", "--help"}).wait().output,
              HasSubstr("Example: lbsp trace convert"));
  EXPECT_THAT(convert({"--help"}).output, HasSubstr("Example: "));
}

}  // namespace
}  // namespace lbsp::test
