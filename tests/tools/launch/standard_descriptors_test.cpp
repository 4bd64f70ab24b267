// Standard input, output and error that are closed, full, or read no further.
#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/command.hpp"

namespace lbsp::test {
namespace {

using namespace ::testing;

/// A line of bash, in which $lbsp, $probe and $bin are this build's.
Outcome bash(const std::string& line) {
  return Command(
             {"bash", "-c", line},
             {.input = {},
              .environment = {{"lbsp", built("lbsp")}, {"probe", built("job_probe")}, {"bin", built("")}}})
      .wait();
}

const std::string full = "standard output cannot be written: No space left on device: ";

TEST(ClosedDescriptors, do_not_keep_a_job_from_its_end) {
  for (const char* closed : {"<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"}) {
    const auto outcome = bash(std::string("$lbsp run -n 2 -- $probe steps 3 ") + closed);
    EXPECT_EQ(outcome.code, 0) << closed << outcome.errors;
    EXPECT_THAT(outcome.errors, Not(HasSubstr("ssert")));
  }
}

TEST(ClosedDescriptors, do_not_let_output_into_the_report) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "x.json";
  const auto outcome = bash("$lbsp run --json " + file + " -- $probe print hello >&-");
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(nlohmann::json::parse(folder.read("x.json"))["ranks"], 1);
}

TEST(ClosedDescriptors, do_not_keep_a_program_by_itself_from_its_end) {
  for (const char* closed : {"<&-", ">&-", "2>&-", "<&- >&- 2>&-"})
    EXPECT_EQ(bash(std::string("$bin/matmul --size 16 ") + closed).code, 0) << closed;
}

/// Sockets, and what they are waited with, are the program's to close as well.
TEST(ClosedDescriptors, of_the_network_end_the_job_at_once_and_it_says_so) {
  for (int i = 0; i < 5; ++i) {
    const auto outcome =
        bash("timeout 50 $lbsp run -n 2 --shared-memory off --peer-timeout 60s -- $probe close-all 1");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.errors, HasSubstr("the program has closed the "));
  }
}

TEST(FullOutput, fails_a_job_with_one_line) {
  const auto outcome = bash("$lbsp run -n 2 -- $probe lines 2000 2>/dev/null >/dev/full; echo code $? >&2");
  EXPECT_THAT(outcome.errors, HasSubstr("code 1"));
  const auto lines = bash("$lbsp run -- $probe print hello >/dev/full");
  EXPECT_EQ(lines.code, 1);
  EXPECT_THAT(lines.errors, AllOf(HasSubstr("lbsp: " + full), EndsWith("\n")));
}

TEST(FullOutput, fails_every_tool_and_program_with_one_line) {
  const std::vector<std::string> commands = {
      "$bin/matmul --size 16",
      "$bin/bitonic_sort --size 16",
      "$bin/fft2d --size 16",
      "$bin/jacobi --size 16",
      "$bin/matmul --help",
      "$lbsp --help",
      "$lbsp run --help",
      "$lbsp model table2",
      "$lbsp model table2 --json -",
      "$lbsp tune --loss 1% --rtt 10ms --bandwidth 100Mbit --algorithm matmul --size 4096"};
  for (const std::string& command : commands) {
    const auto outcome = bash(command + " >/dev/full");
    EXPECT_EQ(outcome.code, 1) << command;
    EXPECT_THAT(outcome.errors, AllOf(StartsWith("lbsp: " + full), EndsWith("\n"))) << command;
    EXPECT_EQ(outcome.errors.find('\n'), outcome.errors.size() - 1) << outcome.errors;
  }
}

TEST(FullOutput, of_the_report_is_an_error) {
  const auto outcome = bash("$lbsp run --json - -- $probe steps 1 >/dev/full");
  EXPECT_EQ(outcome.code, 1);
  const auto at = outcome.errors.find("lbsp: " + full);
  ASSERT_NE(at, std::string::npos) << outcome.errors;
  EXPECT_EQ(outcome.errors.find(full, at + full.size()), std::string::npos) << "twice:\n" << outcome.errors;
}

TEST(OutputWithoutAReader, ends_the_job_as_sigpipe_would_without_a_word) {
  const std::string endless = "$lbsp run -n 2 -- sh -c 'while :; do echo line; done'";
  const auto outcome = bash(endless + " | head -n 1; exit ${PIPESTATUS[0]}");
  EXPECT_EQ(outcome.code, 128 + SIGPIPE);
  EXPECT_EQ(outcome.output, "line\n");
  EXPECT_EQ(outcome.errors, "");
}

TEST(OutputWithoutAReader, ends_the_job_so_where_it_is_the_report) {
  const auto outcome = bash("$lbsp run --json - -- $probe steps 3 | true; exit ${PIPESTATUS[0]}");
  EXPECT_EQ(outcome.code, 128 + SIGPIPE);
  EXPECT_THAT(outcome.errors, Not(HasSubstr("standard output")));
  const auto failed = bash("$lbsp run --json - -- $probe throw 0 it | true; exit ${PIPESTATUS[0]}");
  EXPECT_EQ(failed.code, 1) << "the rank has failed, which is worse";
}

TEST(OutputWithoutAReader, ends_the_job_when_it_has_the_errors_too) {
  for (const char* command :
       {"$lbsp run -n 2 -- $probe lines 2000 2>&1", "$lbsp run -n 2 -- $probe kill-self 0 11 2>&1",
        "$lbsp run --no-such-option 2>&1", "$lbsp run -n 2 -- $probe steps 5 2>&1"}) {
    const auto outcome = bash(std::string(command) + " | true; exit ${PIPESTATUS[0]}");
    EXPECT_FALSE(outcome.timed_out) << command;
    EXPECT_THAT(outcome.code, testing::AnyOf(0, 1, 128 + SIGPIPE)) << command;
  }
}

TEST(OutputWithoutAReader, is_no_fault_of_a_tool) {
  const auto outcome = bash("$lbsp model figure 8 | head -n 1 >/dev/null; exit ${PIPESTATUS[0]}");
  EXPECT_THAT(outcome.code, testing::AnyOf(0, 128 + SIGPIPE));
  EXPECT_EQ(outcome.errors, "");
}

}  // namespace
}  // namespace lbsp::test
