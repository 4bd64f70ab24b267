#include <algorithm>
#include <csignal>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/slowness.hpp"
#include "tests/tools/command.hpp"
#include "tests/tools/launch/lasting_run.hpp"

namespace lbsp::test {
namespace {

using namespace ::testing;
using namespace std::chrono_literals;

TEST(Shrinking, goes_on_without_a_rank_that_was_killed) {
  LastingRun job(4);
  job.signal(2, SIGKILL);
  expect_survivors(job.wait(), " 0 1 3", 3);
  const auto report = job.report();
  EXPECT_EQ(report["finished"], true);
  EXPECT_EQ(report["on_failure"], "shrink");
  ASSERT_EQ(report["lost"].size(), 1U);
  EXPECT_EQ(report["lost"][0]["rank"], 2);
  EXPECT_THAT(report["lost"][0]["how"], StartsWith("rank 2 on localhost was killed by SIGKILL: "));
  ASSERT_EQ(report["changes"].size(), 1U);
  EXPECT_EQ(report["changes"][0]["members"], (std::vector<int>{0, 1, 3}));
  EXPECT_GT(report["changes"][0]["silence"], 0);
  EXPECT_GT(report["changes"][0]["agreement"], 0);
  // The next superstep is complete later than it begins, and nobody has waited for the dead one to say something.
  EXPECT_GT(report["changes"][0]["stood_still"], report["changes"][0]["silence"]);
  EXPECT_LT(report["changes"][0]["stood_still"], 1.0 * slowness());
  job.expect_nothing_left();
}

TEST(Shrinking, goes_on_where_datagrams_are_lost) {
  LastingRun job(5, {"--wan", "loss=10%,rtt=10ms"}, 300);
  job.signal(0, SIGKILL);
  job.signal(3, SIGKILL);
  expect_survivors(job.wait(), " 1 2 4", 3, 300);
  job.expect_nothing_left();
}

TEST(Shrinking, survives_a_death_while_the_others_agree) {
  LastingRun job(5);
  job.signal(4, SIGSTOP);
  std::this_thread::sleep_for(peer_timeout);
  job.signal(0, SIGKILL);
  expect_survivors(job.wait(), " 1 2 3", 3);
  job.expect_nothing_left();
}

TEST(Shrinking, leaves_out_who_was_stopped_for_long_and_ends_it) {
  LastingRun job(3);
  job.signal(1, SIGSTOP);
  expect_survivors(job.wait(), " 0 2", 2);
  const auto report = job.report();
  EXPECT_EQ(report["lost"][0]["rank"], 1);
  EXPECT_GE(report["changes"][0]["silence"], 1.0);
  EXPECT_LT(report["changes"][0]["stood_still"], 10.0 * slowness());
  job.expect_nothing_left();
}

TEST(Shrinking, tells_how_many_states_were_kept_also_where_the_job_is_interrupted) {
  LastingRun job(3, {}, 1'000'000, 10);
  std::this_thread::sleep_for(std::chrono::seconds{1});
  job.signal_front(SIGINT);
  const Outcome outcome = job.wait();
  EXPECT_EQ(outcome.code, 128 + SIGINT) << outcome.errors;
  const auto report = job.report();
  ASSERT_TRUE(report["notes"].contains("states")) << report["notes"];
  EXPECT_GT(report["notes"]["states"]["kept"], 2);
  job.expect_nothing_left();
}

TEST(Shrinking, tells_who_was_stopped_and_continued_that_the_others_went_on) {
  LastingRun job(3, {}, 3000);
  job.signal(1, SIGSTOP);
  std::this_thread::sleep_for(2 * peer_timeout);
  job.signal(1, SIGCONT);
  expect_survivors(job.wait(), " 0 2", 2, 3000);
  EXPECT_THAT(job.report()["lost"][0]["how"],
              StartsWith("rank 1 on localhost: the other ranks go on without this one, which was silent"));
  job.expect_nothing_left();
}

/// Of two ranks one gets this signal, and the job ends with one line that begins so.
void expect_end_of_two(int number, const std::string& line) {
  LastingRun job(2);
  job.signal(0, number);
  const Outcome outcome = job.wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(reason_in(outcome), StartsWith(line));
  EXPECT_EQ(lines_of(reason_in(outcome)).size(), 1U);
  EXPECT_EQ(job.report()["finished"], false);
  job.expect_nothing_left();
}

TEST(Shrinking, ends_with_one_line_where_too_few_are_left) {
  expect_end_of_two(
      SIGKILL, "lbsp: too few ranks were left to go on, after rank 0 on localhost was killed by SIGKILL: ");
}

TEST(Shrinking, names_who_was_stopped_where_too_few_are_left_for_that) {
  LastingRun job(4);
  job.signal(0, SIGSTOP);
  job.signal(1, SIGKILL);
  std::this_thread::sleep_for(2 * peer_timeout);
  job.signal(0, SIGCONT);
  const Outcome outcome = job.wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(
      reason_in(outcome),
      StartsWith(
          "lbsp: too few ranks were left to go on without rank 0 on localhost, which was silent, after "
          "rank 1 on localhost was killed by SIGKILL: "));
  job.expect_nothing_left();
}

TEST(Shrinking, does_not_wait_for_a_rank_that_is_stopped_when_the_others_have_ended) {
  expect_end_of_two(SIGSTOP,
                    "lbsp: rank 0 on localhost has been stopped for 7s, and others have ended without it: ");
}

TEST(Shrinking, of_a_job_that_loses_nobody_changes_nothing) {
  LastingRun job(3, {}, 200);
  expect_survivors(job.wait(), "", 3, 200);
  EXPECT_TRUE(job.report()["changes"].empty());
}

TEST(Shrinking, still_ends_the_job_with_an_error_of_the_program) {
  const Outcome outcome =
      run({"-n", "3", "--on-failure", "shrink", "--", built("job_probe"), "throw", "1", "input"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(reason_in(outcome), HasSubstr("rank 1 on localhost: the input is wrong: give another"));
}

TEST(Shrinking, fails_by_the_exit_code_of_a_rank_that_has_come_to_its_end) {
  const Outcome outcome =
      run({"-n", "3", "--on-failure", "shrink", "--", built("job_probe"), "echo", "then-exit", "3"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(reason_in(outcome), HasSubstr("ended with exit code 3"));
}

TEST(Keeping, has_the_states_of_lost_ranks_given_to_others) {
  LastingRun job(5, {}, 600, 10);
  job.signal(2, SIGKILL);
  expect_survivors(job.wait(), " 0 1 3 4", 4, 600, 10);
  job.expect_nothing_left();
}

TEST(Keeping, as_often_as_is_planned_gives_the_same_answer) {
  LastingRun job(5, {"--mtbf", "2min"}, 600, planned);
  job.signal(0, SIGKILL);
  expect_survivors(job.wait(), " 1 2 3 4", 4, 600, planned);
  job.expect_nothing_left();
}

TEST(Keeping, has_those_of_two_that_are_lost_at_once_where_datagrams_are_lost_too) {
  LastingRun job(6, {"--survive", "2", "--wan", "loss=10%,rtt=6ms"}, 300, 7);
  job.signal(0, SIGKILL);
  job.signal(4, SIGKILL);
  expect_survivors(job.wait(), " 1 2 3 5", 4, 300, 7);
  job.expect_nothing_left();
}

TEST(Keeping, ends_with_one_line_if_more_are_lost_than_it_was_to_survive) {
  LastingRun job(6, {}, 600, 10);
  job.signal(1, SIGKILL);
  job.signal(3, SIGKILL);
  const Outcome outcome = job.wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(reason_in(outcome),
              HasSubstr("is lost: 4 of the 5 pieces that it takes can be had: raise --survive"));
  // Each loss was told when it happened.
  auto lines = lines_of(reason_in(outcome));
  std::erase_if(lines, [](const std::string& line) { return line.ends_with(" go on without it"); });
  EXPECT_EQ(lines.size(), 1U) << outcome.errors;
  job.expect_nothing_left();
}

TEST(Keeping, begins_again_from_the_disk_on_as_many_ranks_or_fewer) {
  const TemporaryFolder states;
  const auto run_on = [&](int ranks, const std::string& option, int steps) {
    const TemporaryFolder pids;
    Command job(lbsp_run({"-n", std::to_string(ranks), option, states.path(), "--", built("keeping_probe"),
                          std::to_string(steps), pids.path(), "5"}));
    if (option == "--restart") return job.wait();
    const auto all = wait_for_pids(pids, ranks);
    std::this_thread::sleep_for(700ms);
    ::kill(all.at(1), SIGKILL);
    return job.wait();
  };
  EXPECT_EQ(run_on(4, "--checkpoint", 100'000).code, 1);
  EXPECT_FALSE(std::filesystem::is_empty(states.path()));
  const std::string expected = answer_of(2000, 5);
  for (const int ranks : {4, 3, 1}) {
    const Outcome again = run_on(ranks, "--restart", 2000);
    EXPECT_EQ(again.code, 0) << again.errors;
    EXPECT_THAT(again.output, HasSubstr(expected + ",")) << ranks;
    EXPECT_THAT(again.output, HasSubstr("goes on with step ")) << ranks;
  }
  EXPECT_THAT(run_on(5, "--restart", 2000).errors,
              HasSubstr("are of 4 ranks, and these are 5: start 4 or fewer"));
}

TEST(Keeping, on_disk_of_a_relaxation_is_for_the_same_boundary_only) {
  const TemporaryFolder states;
  const auto relax = [&](const std::string& option, const std::string& iterations,
                         const std::string& boundary, const std::string& ranks) {
    return run({"-n", ranks, option, states.path(), "--", built("jacobi"), "--size", "33", "--iterations",
                iterations, "--keep", "10", "--boundary", boundary, "--verify"});
  };
  ASSERT_EQ(relax("--checkpoint", "100", "top=1,left=sine", "3").code, 0);
  for (const char* const other : {"top=1", "top=1,left=sine,bottom=0.5"}) {
    const Outcome outcome = relax("--restart", "200", other, "3");
    EXPECT_EQ(outcome.code, 1) << other;
    EXPECT_EQ(lines_of(reason_in(outcome)).size(), 1U) << outcome.errors;
    EXPECT_THAT(reason_in(outcome),
                AllOf(HasSubstr("the states that were kept have "), HasSubstr(" on the boundary at row "),
                      EndsWith(": give the same boundary\n")));
  }
  for (const char* const ranks : {"3", "2"}) {
    const Outcome same = relax("--restart", "200", "top=1,left=sine", ranks);
    EXPECT_EQ(same.code, 0) << same.errors;
    EXPECT_THAT(same.output, HasSubstr("ended after 200 sweeps"));
  }
}

TEST(Keeping, on_disk_is_refused_to_a_program_that_keeps_no_state) {
  const TemporaryFolder states;
  const TemporaryFolder pids;
  const Outcome outcome =
      run({"-n", "2", "--restart", states.path(), "--", built("survivor_probe"), "10", pids.path()});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(reason_in(outcome), HasSubstr("are for programs that keep the states of their ranks"));
}

/// Its own `Steps` is none, so that only its end tells whether it keeps any; and a ready program that keeps none.
TEST(Keeping, on_disk_is_soon_said_to_be_missing) {
  const TemporaryFolder states;
  const TemporaryFolder pids;
  Command job(
      lbsp_run({"-n", "2", "--checkpoint", states.path(), "--", built("job_probe"), "pids", pids.path()}));
  std::this_thread::sleep_for(2s * slowness());
  job.signal(SIGINT);
  const Outcome outcome = job.wait();
  EXPECT_THAT(outcome.errors, HasSubstr("lbsp: --checkpoint: after ")) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr(" the program keeps no states"));
  EXPECT_EQ(outcome.errors.find("keeps no states"), outcome.errors.rfind("keeps no states")) << "said once";

  const Outcome graph =
      run({"-n", "2", "--checkpoint", states.path(), "--", built("dataflow"), "jacobi", "--size", "64"});
  EXPECT_EQ(graph.code, 1);
  EXPECT_THAT(reason_in(graph), HasSubstr("with dataflow, which keeps no states"));
  EXPECT_THAT(graph.output, IsEmpty());
}

/// By lbsp run, before it starts anything.
void expect_refused_options(std::vector<std::string> options, const std::string& named) {
  options.insert(options.begin(), {"-n", "2"});
  options.insert(options.end(), {"--", built("job_probe"), "pids", "/"});
  const Outcome outcome = run(options);
  EXPECT_EQ(outcome.code, 1) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr(named));
  EXPECT_EQ(lines_of(outcome.errors).size(), 1U) << outcome.errors;
}

TEST(Keeping, is_refused_where_nothing_is_to_be_survived) {
  expect_refused_options({"--survive", "1"}, "--survive");
  expect_refused_options({"--survive", "2", "--on-failure", "abort"}, "--survive 2");
  expect_refused_options({"--survive", "2", "--on-failure", "shrink"}, "choose 1, or more hosts");
  expect_refused_options({"--mtbf", "2h"}, "--mtbf where no states are kept");
  expect_refused_options({"--mtbf", "0s", "--on-failure", "shrink"}, "--mtbf 0s: choose more than 0");
  expect_refused_options({"--mtbf", "often", "--on-failure", "shrink"}, "--mtbf");
}

TEST(Shrinking, is_refused_where_it_cannot_be) {
  const std::vector<std::vector<std::string>> refused = {{"shrink", "--backend", "threads"},
                                                         {"shrink", "--shared-memory", "on"},
                                                         {"shrink", "--trace", "trace"},
                                                         {"shrink", "--recovery", "rounds"},
                                                         {"respawn", "--port", "4000"}};
  for (const auto& options : refused) {
    std::vector<std::string> words = {"--on-failure"};
    words.insert(words.end(), options.begin(), options.end());
    expect_refused_options(words, "--on-failure");
  }
}

}  // namespace
}  // namespace lbsp::test
