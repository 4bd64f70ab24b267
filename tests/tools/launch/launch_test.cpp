#include <csignal>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tests/tools/command.hpp"

namespace lbsp::test {
namespace {

using namespace ::testing;

TEST(LbspRun, reports_on_the_error_output_and_leaves_the_output_to_the_program) {
  const auto outcome = run({"-n", "3", "--", built("job_probe"), "steps", "5"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.output, "");
  EXPECT_THAT(outcome.errors, AllOf(HasSubstr("on 3 ranks over shared-memory"), HasSubstr("supersteps  5"),
                                    HasSubstr("verified    the program did not check")));
}

TEST(LbspRun, keeps_the_lines_of_many_writers_whole) {
  const auto outcome = run({"-n", "4", "--", built("job_probe"), "lines", "200"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  std::map<std::string, int> next;
  for (const std::string& line : lines_of(outcome.output)) {
    ASSERT_THAT(line, AllOf(StartsWith("rank "), EndsWith(" end")));
    std::istringstream words(line.substr(5));
    std::string rank;
    std::string word;
    int number = -1;
    words >> rank >> word >> number;
    ASSERT_EQ(number, next[rank]++) << "a rank's lines are out of order: " << line;
  }
  EXPECT_THAT(next, UnorderedElementsAre(testing::Pair("0", 200), testing::Pair("1", 200),
                                         testing::Pair("2", 200), testing::Pair("3", 200)));
  EXPECT_THAT(outcome.errors, HasSubstr("rank 3 line 199"));
}

TEST(LbspRun, puts_the_rank_before_every_line_on_request) {
  const auto outcome = run({"-n", "2", "--tag-output", "--", built("job_probe"), "lines", "50"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  for (const std::string& line : lines_of(outcome.output)) {
    EXPECT_TRUE(line.starts_with("[0] rank 0 ") || line.starts_with("[1] rank 1 ")) << line;
  }
}

TEST(LbspRun, forwards_a_last_line_without_an_end_as_it_is) {
  const auto outcome = run({"--", built("job_probe"), "print", "no end"});
  EXPECT_EQ(outcome.output, "0:no end");
}

TEST(LbspRun, does_not_join_the_last_lines_of_two_ranks) {
  const auto outcome = run({"-n", "2", "--", built("job_probe"), "print", "no end"});
  EXPECT_THAT(lines_of(outcome.output), UnorderedElementsAre("0:no end", "1:no end"));
}

TEST(LbspRun, forwards_lines_longer_than_any_buffer) {
  const auto outcome = run({"--", built("job_probe"), "long-line", "3000000"});
  EXPECT_EQ(outcome.output, std::string(3'000'000, '0') + "\n");
}

TEST(LbspRun, gives_its_input_to_rank_0_and_none_to_the_others) {
  std::string input;
  for (int i = 0; i < 100'000; ++i)
    input += "0123456789\n";
  const auto outcome = run({"-n", "2", "--", built("job_probe"), "input"}, {.input = input + "last\n"});
  EXPECT_THAT(lines_of(outcome.output),
              UnorderedElementsAre("rank 0 read 1100005 bytes, last \"\"", "rank 1 read 0 bytes, last \"\""));
}

TEST(LbspRun, leaves_input_that_the_program_does_not_read_to_whoever_comes_next) {
  const std::string script =
      "$0 run -- $1 first-line-only 2>/dev/null; $0 run -- $1 first-line-only 2>/dev/null";
  Command shell({"sh", "-c", script, built("lbsp"), built("job_probe")}, {.input = "one\ntwo\n"});
  EXPECT_EQ(shell.wait().output, "onetwo");
}

/// As docs/report.md says which of the two times is which.
TEST(LbspRun, reports_a_longer_time_than_a_ready_program_that_times_its_algorithm_alone) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "report.json";
  const auto outcome =
      run({"-n", "2", "--json", file, "--", "jacobi", "--size", "129", "--iterations", "200"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  std::smatch own;
  ASSERT_TRUE(std::regex_search(outcome.output, own, std::regex(", ([0-9.e-]+) s, "))) << outcome.output;
  EXPECT_LT(std::stod(own[1]),
            nlohmann::json::parse(folder.read("report.json"))["seconds"]["total"].get<double>());
}

TEST(LbspRun, gives_the_program_its_arguments_untouched) {
  const auto outcome =
      run({"-n", "1", "--", built("job_probe"), "print", "-n", "7", "--", "--tag-output", "two words", "*"});
  EXPECT_EQ(outcome.output, "0:-n0:70:--0:--tag-output0:two words0:*");
}

TEST(LbspRun, shares_the_processors_between_the_ranks_unless_told_otherwise) {
  const auto mine = run({"-n", "64", "--", built("job_probe"), "variable", "OPENBLAS_NUM_THREADS"});
  EXPECT_THAT(mine.output, HasSubstr("63:1\n"));
  const auto users = run({"-n", "2", "--", built("job_probe"), "variable", "OPENBLAS_NUM_THREADS"},
                         {.input = {}, .environment = {{"OPENBLAS_NUM_THREADS", "7"}}});
  EXPECT_THAT(lines_of(users.output), UnorderedElementsAre("0:7", "1:7"));
}

TEST(LbspRun, puts_no_secret_and_nothing_but_a_descriptor_into_the_environment) {
  const auto outcome = run({"--", "sh", "-c", "env | grep LBSP; cat /proc/$$/cmdline | tr '\\0' ' '"});
  EXPECT_EQ(lines_of(outcome.output).front(), "LBSP_CONTROL_FD=3");
}

TEST(Lbsp, says_its_version_and_what_it_can_do) {
  const auto outcome = Command({built("lbsp"), "--version"}).wait();
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.output, MatchesRegex("lbsp [0-9.]+, wire version [0-9]+\n.*\n"));
  for (const char* const what : {"ciphers", "offload", "backends", "PMIx", "lbsp wan"})
    EXPECT_THAT(outcome.output, ContainsRegex(fmt::format("\n  {:11} [a-zA-Z]", what)));
  EXPECT_EQ(outcome.errors, "");
}

TEST(Lbsp, helps_with_a_command_as_the_command_itself_does) {
  const auto asked = Command({built("lbsp"), "help", "wan", "up"}).wait();
  EXPECT_EQ(asked.code, 0);
  EXPECT_EQ(asked.output, Command({built("lbsp"), "wan", "up", "--help"}).wait().output);
  EXPECT_EQ(Command({built("lbsp"), "help", "walk"}).wait().errors.find("lbsp: no subcommand walk:"), 0U);
}

TEST(Lbsp, helps_in_lines_that_a_pipe_s_reader_can_see_whole) {
  const std::vector<std::string> subcommands = {
      "run",           "probe",     "hosts check",   "tune",         "model rho",    "model speedup",
      "model optimum", "model pmm", "model table2",  "model table3", "model figure", "model queueing",
      "estimate",      "report",    "trace convert", "watch",        "join",         "attach",
      "wan up",        "wan exec",  "wan change",    "wan stats",    "wan hosts",    "wan down"};
  for (const std::string& subcommand : subcommands) {
    const auto help = Command({"sh", "-c", built("lbsp") + " " + subcommand + " --help"}).wait();
    EXPECT_EQ(help.code, 0) << subcommand;
    for (const std::string& line : lines_of(help.output))
      EXPECT_LE(line.size(), 102U) << subcommand << ": " << line;  // 100, and a … has two bytes more
  }
}

TEST(LbspRun, has_one_port_for_the_ranks_of_a_host) {
  constexpr int port = 0x10DD;
  const std::string count = "grep -c :10DD /proc/net/udp";
  const auto outcome = run({"-n", "3", "--port", std::to_string(port), "--", "sh", "-c", count});
  ASSERT_FALSE(lines_of(outcome.output).empty()) << outcome.errors;
  EXPECT_EQ(lines_of(outcome.output).front(), "3") << outcome.errors;
}

TEST(LbspRun, runs_threads_of_one_process_too) {
  const auto outcome =
      run({"-n", "4", "--backend", "threads", "--json", "-", "--", built("job_probe"), "steps", "9"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto report = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(report["version"], 1);
  EXPECT_EQ(report["backend"], "threads");
  EXPECT_EQ(report["ranks"], 4);
  EXPECT_EQ(report["supersteps"], 9);
  EXPECT_EQ(report["per_rank"].size(), 4U);
}

TEST(LbspRun, names_no_carrier_of_one_rank_which_sends_nothing) {
  const auto outcome = run({"-n", "1", "--", built("job_probe"), "steps", "2"});
  EXPECT_THAT(outcome.errors, HasSubstr(" on 1 rank\n")) << outcome.errors;
}

TEST(LbspRun, says_how_a_rank_failed) {
  const std::string probe = built("job_probe");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"exit", "2", "7"}, "lbsp: rank 2 on localhost ended with exit code 7: "},
      {{"exit", "0", "0"}, "lbsp: rank 0 on localhost ended in the midst of the job, with exit code 0: "},
      {{"kill-self", "1", "10"}, "lbsp: rank 1 on localhost was killed by SIGUSR1: "},
      {{"throw", "1", "moon"}, "lbsp: rank 1 on localhost: the moon is wrong: give another\n"},
      {{"abort", "2", "enough"}, "lbsp: rank 2 on localhost ended the job: enough\n"},
      {{"disagree"}, "lbsp: rank "},
  };
  for (const auto& [deed, message] : cases) {
    for (const auto& carrier : all_carriers()) {
      const std::string& backend = carrier[1];
      if (backend == "threads" && (deed[0] == "exit" || deed[0] == "kill-self")) continue;
      std::vector<std::string> words = {"-n", "3", carrier[0], carrier[1], "--", probe};
      words.insert(words.end(), deed.begin(), deed.end());
      const auto outcome = run(words);
      EXPECT_EQ(outcome.code, 1) << deed[0] << backend;
      EXPECT_THAT(reason_in(outcome), StartsWith(message)) << deed[0] << backend;
      EXPECT_EQ(lines_of(reason_in(outcome)).size(), 1U) << outcome.errors;
    }
  }
}

TEST(LbspRun, forwards_what_was_printed_before_a_crash) {
  for (const auto& carrier : all_carriers()) {
    const auto outcome = run({"-n", "2", carrier[0], carrier[1], "--", built("job_probe"), "crash", "1"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.output, AllOf(HasSubstr("rank 1 by stdio\n"), HasSubstr("rank 1 by cout\n")));
  }
}

TEST(LbspRun, names_the_rank_that_crashed_whatever_carries_the_messages) {
  for (const auto& carrier : all_carriers()) {
    for (const char* const deed : {"crash", "fault", "full-stack", "terminate"}) {
      const auto outcome = run({"-n", "3", carrier[0], carrier[1], "--", built("job_probe"), deed, "1"});
      EXPECT_EQ(outcome.code, 1);
      const std::string signal = std::string(deed) == "terminate" ? "SIGABRT" : "SIGSEGV";
      EXPECT_THAT(reason_in(outcome), HasSubstr("lbsp: rank 1 on localhost was killed by " + signal + ": "))
          << deed << carrier[1] << outcome.errors;
    }
  }
}

TEST(LbspRun, names_all_ranks_of_a_process_that_somebody_ends) {
  const auto outcome = run({"-n", "3", "--backend", "threads", "--", built("job_probe"), "exit", "1", "7"});
  EXPECT_THAT(reason_in(outcome),
              StartsWith("lbsp: the process of ranks 0 to 2 on localhost ended with exit code 7: "));
}

TEST(LbspRun, tells_an_error_of_any_length_in_one_line) {
  const auto outcome = run({"-n", "2", "--", built("job_probe"), "throw-text", "x", "20000000"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, AllOf(StartsWith("lbsp: rank "), HasSubstr(" on localhost: xxx"),
                                    EndsWith("x... (20000000 bytes in all)\n")));
  EXPECT_LT(outcome.errors.size(), 5000U);
}

TEST(LbspRun, lets_no_rank_command_the_terminal_in_an_error) {
  const auto outcome = run({"--", built("job_probe"), "throw-text", "\x1b[31mred\n", "9"});
  EXPECT_EQ(outcome.errors, "lbsp: rank 0 on localhost: \\x1b[31mred \n");
}

TEST(LbspRun, says_that_a_job_has_finished) {
  const auto outcome = run({"-n", "2", "--json", "-", "--", built("job_probe"), "steps", "3"});
  const auto report = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(report["finished"], true);
  EXPECT_EQ(report["reason"], nullptr);
  EXPECT_EQ(report["reported"], 2);
}

TEST(LbspRun, fails_when_a_program_ends_badly_after_the_job) {
  const auto late = run({"-n", "2", "--", "sh", "-c", built("job_probe") + " steps 1; exit 9"});
  EXPECT_EQ(late.code, 1);
  EXPECT_THAT(late.errors, HasSubstr("ended with exit code 9"));
}

TEST(LbspRun, exits_1_and_still_reports_when_an_answer_is_wrong) {
  const auto outcome = run({"-n", "2", "--json", "-", "--", built("job_probe"), "verify", "1"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(nlohmann::json::parse(outcome.output)["verified"], false);
  EXPECT_THAT(outcome.errors, AllOf(HasSubstr("verified    NO"),
                                    HasSubstr("job_probe found its answer wrong on rank 1 on localhost: ")));
  EXPECT_EQ(run({"-n", "2", "--", built("job_probe"), "verify", "5"}).code, 0);
}

TEST(LbspRun, says_that_a_program_never_joined) {
  const auto outcome = run({"-n", "2", "--", "true"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, AllOf(StartsWith("lbsp: rank "),
                                    HasSubstr("is not an lbsp program, or did not call lbsp::run")));
}

TEST(LbspRun, gives_up_on_a_rank_that_never_starts) {
  const auto outcome = run({"-n", "2", "--start-timeout", "300ms", "--", built("job_probe"), "never-join"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, StartsWith("lbsp: rank 0 on localhost never started: "));
  EXPECT_EQ(lines_of(outcome.errors).size(), 1U);
}

TEST(LbspRun, says_that_a_file_cannot_be_executed) {
  const TemporaryFolder folder;
  const std::string script = folder.write("script", "#!/no/such/interpreter\n");
  ::chmod(script.c_str(), 0700);
  const auto outcome = run({"--", script});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, AllOf(StartsWith("lbsp: rank 0 on localhost: cannot start"), EndsWith("\n")));
  EXPECT_EQ(lines_of(outcome.errors).size(), 1U);
}

TEST(LbspRun, ends_when_nobody_reads_its_output_any_more) {
  Command shell(
      {"sh", "-c", "$0 run -n 2 -- sh -c 'while :; do echo line; done' | head -n 1", built("lbsp")});
  const auto outcome = shell.wait();
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.output, "line\n");
}

TEST(LbspRun, does_not_show_progress_in_a_pipe) {
  const auto outcome = run({"-n", "2", "--", built("job_probe"), "steps", "2000"});
  EXPECT_THAT(outcome.errors, Not(HasSubstr("\r")));
}

}  // namespace
}  // namespace lbsp::test
