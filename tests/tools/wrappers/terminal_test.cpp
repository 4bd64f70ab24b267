// Programs of bsp.h on a terminal and between pipes.
#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/tools/launch/terminal_command.hpp"
#include "tests/tools/wrappers/lbspcc.hpp"

namespace lbsp::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class BsplibTerminal : public testing::Test {
 protected:
  BsplibTerminal() {
    expect_compiles("lbspcc",
                    {"-O1", "-Wall", "-o", program(), std::string(BSPLIB_SOURCES) + "/conversation.c"}, {});
  }

  std::string program() const { return folder_.path() / "conversation"; }
  const TemporaryFolder& folder() const { return folder_; }

  /// `lbsp run -n 2` of the program, as a shell reads it.
  std::string words(const std::string& deed) const {
    return built("lbsp") + " run -n 2 -- " + program() + " " + deed + " " + folder_.path().string();
  }

  std::vector<std::string> counting() const {
    return {built("lbsp"), "run", "-n", "2", "--", program(), "count", folder_.path()};
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(BsplibTerminal, asks_its_user_again_and_again_until_control_d) {
  TerminalCommand job({built("lbsp"), "run", "-n", "2", "--", program(), "add up"});
  ASSERT_TRUE(job.shows("number? ")) << job.screen();
  job.type("21\n");
  ASSERT_TRUE(job.shows("2 processes make 42\r\n")) << job.screen();
  ASSERT_TRUE(job.shows("number? ")) << job.screen();
  job.type("4\n");
  ASSERT_TRUE(job.shows("2 processes make 8\r\n")) << job.screen();
  ASSERT_TRUE(job.shows("number? ")) << job.screen();
  job.type("\x04");
  EXPECT_EQ(job.wait(), 0) << job.screen();
}

TEST_F(BsplibTerminal, shows_the_progress_of_a_long_run_beside_the_output) {
  TerminalCommand job({"sh", "-c", "exec " + words("count") + " >" + (folder().path() / "out").string()});
  EXPECT_TRUE(job.shows("superstep ")) << job.screen();
  job.type("\x03");
  EXPECT_EQ(job.wait(), 128 + SIGINT) << job.screen();
  EXPECT_THAT(folder().read("out"), HasSubstr("superstep 0\nsuperstep 1\n"));
}

TEST_F(BsplibTerminal, ends_the_job_by_control_c) {
  TerminalCommand job(counting());
  const auto pids = wait_for_pids(folder(), 2);
  ASSERT_EQ(pids.size(), 2U) << job.screen();
  job.type("\x03");
  EXPECT_EQ(job.wait(), 128 + SIGINT) << job.screen();
  EXPECT_THAT(job.screen(), HasSubstr("lbsp: ended by SIGINT, and the job with it\r\n"));
  for (const int pid : pids)
    EXPECT_TRUE(disappears(pid));
}

TEST_F(BsplibTerminal, stops_all_processes_by_control_z_and_continues_them) {
  TerminalCommand shell({"bash", "--norc", "--noprofile", "-i"});
  shell.type(words("count") + "\n");
  const auto pids = wait_for_pids(folder(), 2);
  ASSERT_EQ(pids.size(), 2U) << shell.screen();
  expect_to_stop_and_continue(shell, pids);
  EXPECT_TRUE(shell.shows("superstep ")) << shell.screen();
  expect_to_end_by_control_c(shell, pids);
}

TEST_F(BsplibTerminal, ends_with_the_reader_of_its_pipe) {
  const auto outcome =
      Command({"bash", "-c", words("count") + " | head -n 2; exit ${PIPESTATUS[0]}"}).wait(20s);
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.output, "superstep 0\nsuperstep 1\n");
  EXPECT_EQ(outcome.code, 128 + SIGPIPE) << outcome.errors;
  for (const int pid : wait_for_pids(folder(), 2))
    EXPECT_TRUE(disappears(pid));
}

TEST_F(BsplibTerminal, reads_its_numbers_from_a_pipe) {
  const auto outcome =
      Command({built("lbsp"), "run", "-n", "3", "--", program(), "add up"}, {.input = "1\n14\n"}).wait(20s);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("3 processes make 3\n"));
  EXPECT_THAT(outcome.output, HasSubstr("3 processes make 42\n"));
}

}  // namespace
}  // namespace lbsp::test
