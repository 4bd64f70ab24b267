// lbsp run on a terminal, and between pipes, as a person drives it.
#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include "tests/tools/launch/agent_script.hpp"
#include "tests/tools/launch/terminal_command.hpp"

namespace lbsp::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

std::vector<std::string> probe(std::vector<std::string> options, const std::vector<std::string>& deed) {
  options.insert(options.end(), {"--", built("job_probe")});
  options.insert(options.end(), deed.begin(), deed.end());
  return lbsp_run(std::move(options));
}

TEST(Terminal, shows_a_prompt_before_its_answer_is_typed) {
  for (const char* ranks : {"1", "3"}) {
    TerminalCommand job(probe({"-n", ranks}, {"ask", "n? "}));
    ASSERT_TRUE(job.shows("n? ")) << job.screen();
    job.type("42\n");
    EXPECT_TRUE(job.shows("42\r\n"));
    EXPECT_TRUE(job.shows("it is 42\r\n")) << job.screen();
    EXPECT_EQ(job.wait(), 0) << job.screen();
  }
}

TEST(Terminal, shows_a_prompt_with_its_tag_and_no_empty_line_after_the_answer) {
  TerminalCommand job(probe({"-n", "2", "--tag-output"}, {"ask", "n? "}));
  ASSERT_TRUE(job.shows("[0] n? ")) << job.screen();
  job.type("7\n");
  EXPECT_TRUE(job.shows("7\r\n[0] it is 7\r\n")) << job.screen();
  EXPECT_EQ(job.wait(), 0);
}

TEST(Terminal, shows_a_prompt_of_a_rank_behind_an_agent) {
  const TemporaryFolder folder;
  const auto script = agent_script(folder, "exec \"$@\"");
  TerminalCommand job(lbsp_run(over_hosts(folder, "a address=127.0.0.1\nb address=127.0.0.1\n", script,
                                          {"--", built("job_probe"), "ask", "n? "})));
  ASSERT_TRUE(job.shows("n? ")) << job.screen();
  job.type("42\n");
  EXPECT_TRUE(job.shows("it is 42\r\n")) << job.screen();
  EXPECT_EQ(job.wait(), 0) << job.screen();
}

TEST(Terminal, is_one_for_rank_0_too_and_for_no_other) {
  TerminalCommand job(probe({"-n", "2"}, {"terminal"}), 33, 101);
  ASSERT_EQ(job.wait(), 0) << job.screen();
  EXPECT_THAT(job.screen(), HasSubstr("rank 0: 1 1 0 33x101\r\n"));
  EXPECT_THAT(job.screen(), HasSubstr("rank 1: 0 0 0 0x0\r\n"));
}

TEST(Terminal, is_none_for_rank_0_where_the_user_has_none) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "out";
  TerminalCommand job(
      {"sh", "-c", built("lbsp") + " run -- " + built("job_probe") + " terminal </dev/null >" + file});
  ASSERT_EQ(job.wait(), 0) << job.screen();
  EXPECT_EQ(folder.read("out"), "rank 0: 0 0 0 0x0\n");
}

TEST(Terminal, tells_its_new_size) {
  TerminalCommand job(probe({}, {"windows"}), 24, 80);
  ASSERT_TRUE(job.shows("ready")) << job.screen();
  job.resize(50, 132);
  EXPECT_TRUE(job.shows("changed to 50x132")) << job.screen();
  EXPECT_EQ(job.wait(), 0);
}

TEST(Terminal, ends_the_input_by_control_d_after_a_whole_line_or_part_of_one) {
  TerminalCommand job(probe({"-n", "2"}, {"echo"}));
  ASSERT_TRUE(job.shows("rank 1 at the end")) << job.screen();
  job.type("a line\n");
  EXPECT_TRUE(job.shows("got a line\r\n|")) << job.screen();
  job.type("part\x04");
  job.type("\x04");
  EXPECT_TRUE(job.shows("got part|")) << job.screen();
  EXPECT_TRUE(job.shows("rank 0 at the end")) << job.screen();
  EXPECT_EQ(job.wait(), 0);
}

TEST(Terminal, ends_the_job_by_control_c) {
  const TemporaryFolder pids_folder;
  TerminalCommand job(probe({"-n", "2"}, {"pids", pids_folder.path()}));
  const auto pids = wait_for_pids(pids_folder, 2);
  job.type("\x03");
  EXPECT_EQ(job.wait(), 128 + SIGINT) << job.screen();
  EXPECT_THAT(job.screen(), HasSubstr("lbsp: ended by SIGINT, and the job with it\r\n"));
  for (const int pid : pids)
    EXPECT_TRUE(disappears(pid));
}

TEST(Terminal, goes_on_counting_and_says_who_is_waited_for) {
  const TemporaryFolder folder;
  TerminalCommand command(probe({"-n", "3"}, {"loop-in-rank-1", folder.path()}));
  EXPECT_TRUE(command.shows(" s, waiting for rank 1"));
  EXPECT_TRUE(command.shows("superstep 1, "));
  EXPECT_TRUE(command.shows(" s, waiting for rank 1"));
  command.type("\x03");
  EXPECT_EQ(command.wait(), 128 + SIGINT);
}

TEST(Terminal, shows_progress_within_one_line) {
  const TemporaryFolder folder;
  TerminalCommand command(probe({"-n", "3"}, {"loop-in-rank-1", folder.path()}), 24, 24);
  EXPECT_TRUE(command.shows(" s ..."));
  EXPECT_TRUE(command.shows("superstep 1, "));
  EXPECT_TRUE(command.shows(" s ..."));
  EXPECT_THAT(command.screen(), Not(HasSubstr("waiting for rank")));
  command.type("\x03");
  EXPECT_EQ(command.wait(), 128 + SIGINT);
}

TEST(Terminal, shows_no_progress_where_a_line_cannot_be_written_over) {
  const TemporaryFolder folder;
  std::vector<std::string> words = probe({"-n", "2"}, {"pids", folder.path()});
  words.insert(words.begin(), {"env", "TERM=dumb"});
  TerminalCommand command(words);
  EXPECT_EQ(wait_for_pids(folder, 2).size(), 2U);
  EXPECT_FALSE(command.shows("superstep", std::chrono::seconds{2}));
  command.type("\x03");
  EXPECT_EQ(command.wait(), 128 + SIGINT);
  EXPECT_THAT(command.screen(), Not(HasSubstr("\033[K")));
}

TEST(Terminal, stops_all_ranks_by_control_z_and_continues_them) {
  const TemporaryFolder pids_folder;
  // A shell with job control, so that ^Z stops and fg continues.
  TerminalCommand shell({"bash", "--norc", "--noprofile", "-i"});
  shell.type(built("lbsp") + " run -n 2 -- " + built("job_probe") + " pids " + pids_folder.path().string() +
             "\n");
  const auto pids = wait_for_pids(pids_folder, 2);
  ASSERT_EQ(pids.size(), 2U) << shell.screen();
  expect_to_stop_and_continue(shell, pids);
  std::this_thread::sleep_for(300ms);
  expect_to_end_by_control_c(shell, pids);
}

TEST(Terminal, is_read_again_when_the_job_is_back_in_the_foreground) {
  TerminalCommand shell({"bash", "--norc", "--noprofile", "-i"});
  shell.type(built("lbsp") + " run -n 2 -- " + built("job_probe") + " ask 'num''ber? '\n");
  ASSERT_TRUE(shell.shows("number? ")) << shell.screen();
  shell.type("\x1a");
  ASSERT_TRUE(shell.shows("Stopped")) << shell.screen();
  shell.type("bg\n");
  std::this_thread::sleep_for(500ms);
  shell.type("fg\n");
  std::this_thread::sleep_for(500ms);
  shell.type("17\n");
  EXPECT_TRUE(shell.shows("it is 17")) << shell.screen();
  leave_shell(shell);
}

TEST(Pipe, carries_a_prompt_after_a_short_quiet) {
  const TemporaryFolder folder;
  // The answer comes only after the question has been seen.
  const std::string script = "mkfifo " + (folder.path() / "in").string() + "; exec 5<>" +
                             (folder.path() / "in").string() + "; " + built("lbsp") + " run -n 2 -- " +
                             built("job_probe") +
                             " ask 'n? ' <&5 2>/dev/null | (head -c 3; echo 42 >&5; cat)";
  Command shell({"bash", "-c", script});
  const auto outcome = shell.wait(20s);
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.output, "n? it is 42\n");
}

}  // namespace
}  // namespace lbsp::test
