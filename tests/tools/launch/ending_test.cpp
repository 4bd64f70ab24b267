#include <chrono>
#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tests/support/slowness.hpp"
#include "tests/tools/command.hpp"
#include "tests/tools/launch/running_job.hpp"

namespace lbsp::test {
namespace {

using namespace ::testing;

TEST(LbspRun, names_the_rank_that_was_killed_and_ends_the_others) {
  RunningJob job({}, "pids", 3);
  ::kill(job.pids[1], SIGKILL);
  const auto outcome = job.command().wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(lines_of(reason_in(outcome)).size(), 1U) << outcome.errors;
  EXPECT_THAT(reason_in(outcome), StartsWith("lbsp: rank 1 on localhost was killed by SIGKILL: "));
  job.expect_nothing_left();
}

TEST(LbspRun, says_that_a_rank_has_used_up_its_processor_time) {
  const auto outcome = Command({"sh", "-c", "ulimit -t 1; exec \"$0\" \"$@\"", built("lbsp"), "run", "-n",
                                "1", "--", "sh", "-c", "while :; do :; done"})
                           .wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(
      reason_in(outcome),
      HasSubstr("it has used up the 1 s of processor time that a process may have there: raise the limit"));
}

TEST(LbspRun, says_that_a_rank_that_crashed_had_a_small_stack) {
  const auto outcome = Command({"sh", "-c", "ulimit -s 256; exec \"$0\" \"$@\"", built("lbsp"), "run", "-n",
                                "1", "--", "sh", "-c", "kill -SEGV $$"})
                           .wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(reason_in(outcome), HasSubstr("its stack may have no more than 256KiB there"));
}

TEST(LbspRun, says_that_a_file_has_become_as_long_as_it_may_be) {
  const auto outcome = Command({"sh", "-c", "ulimit -f 8; exec \"$0\" \"$@\"", built("lbsp"), "run", "-n",
                                "1", "--", "sh", "-c", "kill -XFSZ $$"})
                           .wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(
      reason_in(outcome),
      HasSubstr("it has written a file as long as one may be there, 4KiB: raise the limit (ulimit -f)"));
}

TEST(LbspRun, ends_ranks_that_do_not_listen_to_signals) {
  RunningJob job({}, "deaf-pids", 2);
  ::kill(job.pids[0], SIGKILL);
  EXPECT_EQ(job.command().wait().code, 1);
  job.expect_nothing_left();
}

/// The others have given it up and ended: there is nothing more to wait for.
TEST(LbspRun, ends_soon_after_the_others_have_given_up_a_rank_that_is_stopped) {
  RunningJob job({"--peer-timeout", "1s"}, "pids", 3);
  ::kill(job.pids[1], SIGSTOP);
  const auto stopped = std::chrono::steady_clock::now();
  const auto outcome = job.command().wait();
  EXPECT_LT(std::chrono::steady_clock::now() - stopped, std::chrono::seconds{3} * slowness());
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(reason_in(outcome), HasSubstr("rank 1 on localhost was last heard "));
  job.expect_nothing_left();
}

/// A stopped process acts upon no signal but SIGKILL until it is continued.
TEST(LbspRun, ends_a_rank_that_is_stopped_when_interrupted) {
  RunningJob job({}, "pids", 2);
  ::kill(job.pids[0], SIGSTOP);
  const auto interrupted = std::chrono::steady_clock::now();
  job.command().signal(SIGTERM);
  EXPECT_EQ(job.command().wait().code, 128 + SIGTERM);
  EXPECT_LT(std::chrono::steady_clock::now() - interrupted, std::chrono::milliseconds{2500} * slowness());
  job.expect_nothing_left();
}

TEST(LbspRun, leaves_no_process_when_it_is_killed_itself) {
  for (const char* deed : {"pids", "deaf-pids", "compute-pids"}) {
    RunningJob job({}, deed, 3);
    job.command().signal(SIGKILL);
    EXPECT_EQ(job.command().wait().signal, SIGKILL);
    job.expect_nothing_left();
  }
}

TEST(LbspRun, ends_with_the_grandchildren_when_the_program_is_started_by_a_script) {
  const TemporaryFolder pids_folder;
  const TemporaryFolder folder;
  const std::string script = folder.write("script.sh", "#!/bin/sh\n\"$@\"\nexit $?\n");
  ::chmod(script.c_str(), 0700);
  Command command(
      lbsp_run({"-n", "2", "--", script, built("job_probe"), "compute-pids", pids_folder.path()}));
  const auto pids = wait_for_pids(pids_folder, 2);
  ASSERT_EQ(pids.size(), 2U);
  command.signal(SIGKILL);
  command.wait();
  for (const int pid : pids)
    EXPECT_TRUE(disappears(pid));
}

TEST(LbspRun, passes_signals_on_and_exits_as_a_shell_would_say) {
  for (const int signal : {SIGINT, SIGTERM}) {
    RunningJob job({}, "pids", 2);
    job.command().signal(signal);
    const auto outcome = job.command().wait();
    EXPECT_EQ(outcome.code, 128 + signal);
    EXPECT_THAT(reason_in(outcome), StartsWith("lbsp: ended by SIG"));
    job.expect_nothing_left();
  }
}

TEST(LbspRun, goes_on_when_the_terminal_is_closed_if_started_by_nohup) {
  const TemporaryFolder pids_folder;
  Command command({"sh", "-c", "trap '' HUP; exec \"$@\"", "sh", built("lbsp"), "run", "-n", "2", "--",
                   built("job_probe"), "pids", pids_folder.path()});
  const auto pids = wait_for_pids(pids_folder, 2);
  command.signal(SIGHUP);
  command.signal(SIGTERM);
  EXPECT_EQ(command.wait().code, 128 + SIGTERM);
  for (const int pid : pids)
    EXPECT_TRUE(disappears(pid));
}

TEST(LbspRun, ends_deaf_ranks_after_a_while_when_interrupted) {
  RunningJob job({}, "deaf-pids", 2);
  job.command().signal(SIGINT);
  EXPECT_EQ(job.command().wait().code, 128 + SIGINT);
  job.expect_nothing_left();
}

TEST(LbspRun, reports_what_was_done_before_it_was_stopped) {
  for (const auto& carrier : all_carriers()) {
    const TemporaryFolder folder;
    const std::string file = folder.path() / "report.json";
    RunningJob job({"--json", file, "--trace", folder.path() / "trace", carrier[0], carrier[1]}, "pids", 3);
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
    job.command().signal(SIGINT);
    const auto outcome = job.command().wait();
    EXPECT_EQ(outcome.code, 128 + SIGINT);
    EXPECT_THAT(outcome.errors,
                AllOf(HasSubstr(" on 3 ranks over "), HasSubstr(", NOT FINISHED\n  supersteps  "),
                      EndsWith("lbsp: ended by SIGINT, and the job with it\n")));
    const auto report = nlohmann::json::parse(folder.read("report.json"));
    EXPECT_EQ(report["finished"], false);
    EXPECT_EQ(report["reason"], "ended by SIGINT, and the job with it");
    EXPECT_EQ(report["reported"], 3);
    EXPECT_EQ(report["verified"], nullptr);
    EXPECT_GT(report["supersteps"], 0);
    EXPECT_GT(report["seconds"]["total"], 0);
    EXPECT_GT(report["bytes"]["payload"], 0);
    EXPECT_EQ(report["per_rank"].size(), 3U);
    EXPECT_GT(report["steps"].size(), 0U);
    EXPECT_LE(report["steps"].size(), report["supersteps"]);
    EXPECT_EQ(report["waited_for"], nullptr);
    for (int rank = 0; rank < 3; ++rank)
      EXPECT_THAT(folder.read("trace"),
                  HasSubstr("\"superstep\":0,\"supersteps\":1,\"rank\":" + std::to_string(rank)));
    job.expect_nothing_left();
  }
}

/// One rank, which waits for no other: it has done so much in a moment.
TEST(LbspRun, lets_a_rank_that_has_done_much_tell_all_of_it_when_it_is_stopped) {
  const TemporaryFolder folder;
  RunningJob job({"--trace", folder.path() / "trace"}, "long-pids", 1);
  job.command().signal(SIGINT);
  EXPECT_EQ(job.command().wait().code, 128 + SIGINT);
  const auto lines = lines_of(folder.read("trace"));
  ASSERT_GT(lines.size(), 80'000U);
  EXPECT_THAT(lines.back(), HasSubstr("\"told\":true"));
}

TEST(LbspRun, reports_what_the_others_have_done_when_a_rank_was_killed) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "report.json";
  RunningJob job({"--json", file}, "pids", 3);
  std::this_thread::sleep_for(std::chrono::milliseconds{100});
  ::kill(job.pids[1], SIGKILL);
  const auto outcome = job.command().wait();
  EXPECT_THAT(outcome.errors,
              HasSubstr("  reported    by 2 of 3 ranks (ranks 0, 2): the figures are of these only\n"));
  const auto report = nlohmann::json::parse(folder.read("report.json"));
  EXPECT_EQ(report["finished"], false);
  EXPECT_EQ(report["reported"], 2);
  EXPECT_GT(report["supersteps"], 0);
  EXPECT_GT(report["steps"].size(), 0U);
}

TEST(LbspRun, names_the_rank_that_all_waited_for_when_it_was_stopped) {
  for (const auto& carrier : all_carriers()) {
    const TemporaryFolder folder;
    const std::string file = folder.path() / "report.json";
    RunningJob job({"--json", file, carrier[0], carrier[1]}, "loop-in-rank-1", 3);
    std::this_thread::sleep_for(std::chrono::milliseconds{1500});
    job.command().signal(SIGINT);
    const auto outcome = job.command().wait();
    EXPECT_THAT(outcome.errors, HasSubstr("\n  waited for  rank 1 on localhost: others waited for "));
    const auto report = nlohmann::json::parse(folder.read("report.json"));
    EXPECT_EQ(report["waited_for"]["ranks"], nlohmann::json({1}));
    for (const std::size_t rank : {0U, 2U})
      EXPECT_GT(report["per_rank"][rank]["seconds"]["communicate"], 1);
    EXPECT_LT(report["per_rank"][1]["seconds"]["communicate"], slowness());
    EXPECT_GT(report["per_rank"][1]["seconds"]["compute"], 1);
    EXPECT_EQ(report["steps"].size(), 1U);
    job.expect_nothing_left();
  }
}

/// Of such jobs one in eleven has a rank whose last words are all lost. The others would wait for the peer timeout.
TEST(LbspRun, tells_ranks_that_still_wait_who_has_left_where_losses_come_in_runs) {
  const auto started = std::chrono::steady_clock::now();
  std::vector<std::unique_ptr<Command>> jobs;
  for (int seed = 1; seed <= 16; ++seed) {
    jobs.push_back(std::make_unique<Command>(
        lbsp_run({"-n", "3", "--wan", "loss=30%,burst=5,rtt=20ms", "--seed", std::to_string(seed),
                  "--peer-timeout", "60s", "--", built("job_probe"), "steps", "3"})));
  }
  for (const auto& job : jobs)
    EXPECT_EQ(job->wait().code, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds{30} * slowness());
}

}  // namespace
}  // namespace lbsp::test
