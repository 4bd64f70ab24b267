#include <csignal>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <thread>

#include "tests/tools/command.hpp"
#include "tests/tools/launch/lasting_run.hpp"
#include "tools/launch/kept_job.hpp"

namespace lbsp::test {
namespace {

using namespace ::testing;
using namespace std::chrono_literals;

Outcome attach(const std::string& job) {
  return Command({built("lbsp"), "attach", job}).wait();
}

/// Its `lbsp run` is killed, and the job is kept.
std::string kill_front(LastingRun& job) {
  const int number = job.number();
  job.signal_front(SIGKILL);
  const std::string keeper = launch::KeptFiles(number).keeper;
  EXPECT_TRUE(wait_until([&] { return std::filesystem::exists(keeper); }, 10s));
  return std::to_string(number);
}

TEST(Attach, shows_the_end_of_a_job_whose_lbsp_run_was_killed) {
  LastingRun job(4, {}, 2000);
  const std::string number = kill_front(job);
  expect_survivors(attach(number), "", 4, 2000);
  EXPECT_EQ(job.report()["finished"], true);
  job.expect_nothing_left();
}

TEST(Attach, shows_what_was_kept_of_a_job_that_has_ended) {
  LastingRun job(3, {}, 1500);
  const std::string number = kill_front(job);
  job.expect_nothing_left();
  EXPECT_TRUE(
      wait_until([&] { return std::filesystem::exists(launch::KeptFiles(std::stoi(number)).code); }, 10s));
  const Outcome outcome = attach(number);
  expect_survivors(outcome, "", 3, 1500);
  EXPECT_THAT(outcome.errors, HasSubstr("supersteps"));
  EXPECT_FALSE(std::filesystem::exists(launch::KeptFiles(std::stoi(number)).folder));
}

TEST(Attach, replaces_a_rank_that_is_lost_after_lbsp_run) {
  LastingRun job(3, {}, 1000, 10, "respawn");
  const std::string number = kill_front(job);
  job.signal(1, SIGKILL);
  expect_survivors(attach(number), " 0 1 2", 3, 1000, 10);
  EXPECT_EQ(job.report()["lost"].size(), 1U);
  job.expect_nothing_left();
}

/// By a signal, with an error that has this in it, and nothing of the job is left.
void expect_ended(const Outcome& outcome, int signal, const std::string& error, const LastingRun& job) {
  EXPECT_EQ(outcome.code, 128 + signal);
  EXPECT_THAT(outcome.errors, HasSubstr(error));
  job.expect_nothing_left();
}

TEST(Attach, ends_the_job_when_it_is_interrupted) {
  LastingRun job(2, {}, 1000000);
  Command attached({built("lbsp"), "attach", kill_front(job)});
  std::this_thread::sleep_for(500ms);
  attached.signal(SIGINT);
  expect_ended(attached.wait(), SIGINT, "lbsp: ended by SIGINT, and the job with it\n", job);
}

TEST(Attach, has_the_exit_code_of_a_job_that_fails) {
  LastingRun job(2, {}, 1000000);
  const std::string number = kill_front(job);
  job.signal(0, SIGKILL);
  const Outcome outcome = attach(number);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("\nlbsp: "));
  job.expect_nothing_left();
}

TEST(Attach, tells_that_there_is_no_such_job) {
  EXPECT_THAT(attach("1").errors,
              StartsWith("lbsp: no job 1 of yours has lost its lbsp run on this machine: "));
  EXPECT_THAT(attach("x").errors, StartsWith("lbsp: x is no job: "));
}

TEST(Front, passes_a_signal_on) {
  LastingRun job(2, {}, 1000000);
  job.signal_front(SIGTERM);
  expect_ended(job.wait(), SIGTERM, "lbsp: ended by SIGTERM, and the job with it\n", job);
}

TEST(Front, tells_that_the_keeper_was_killed) {
  LastingRun job(2, {}, 1000000);
  ::kill(child_of(job.number(), "lbsp"), SIGKILL);
  expect_ended(job.wait(), SIGKILL, "lbsp: the launcher was killed by SIGKILL, and the job with it: ", job);
}

TEST(KeptJob, keeps_output_within_a_bound) {
  // In a child: the constructor redirects the process's own output.
  EXPECT_EXIT(
      {
        launch::KeptJob kept(::getpid());
        const bool first = kept.takes(launch::KeptJob::most_output);
        const bool more = kept.takes(1);
        const bool counted = kept.dropped() == 1;
        std::filesystem::remove_all(launch::KeptFiles(::getpid()).folder);
        ::_exit(first && !more && counted ? 0 : 1);
      },
      ExitedWithCode(0), "");
}

}  // namespace
}  // namespace lbsp::test
