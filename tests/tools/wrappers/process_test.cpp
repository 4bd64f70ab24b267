// S1 to S5 of BSPlib's semantics: the life of a process. The names begin with the line they are of.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sstream>

#include "tests/support/slowness.hpp"
#include "tests/tools/wrappers/lbspcc.hpp"

namespace lbsp::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  std::ranges::sort(lines);
  return lines;
}

class BsplibProcess : public testing::Test {
 protected:
  BsplibProcess() {
    expect_compiles("lbspcc", {"-O1", "-Wall", "-o", program(), std::string(BSPLIB_SOURCES) + "/deeds.c"},
                    {});
  }

  std::string program() const { return folder_.path() / "deeds"; }

  Outcome deed(const std::vector<std::string>& words, const std::vector<std::string>& options = {"-n", "3"},
               const CommandSettings& settings = {}) const {
    std::vector<std::string> arguments = options;
    arguments.push_back(program());
    arguments.insert(arguments.end(), words.begin(), words.end());
    return run(arguments, settings);
  }

  /// The job fails in bounded time, with these parts in one line of its errors.
  void expect_failure(const std::vector<std::string>& words, const std::vector<std::string>& parts) const {
    const Outcome outcome = deed(words);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_FALSE(outcome.timed_out);
    EXPECT_EQ(sorted_lines(reason_in(outcome)).size(), 1U) << outcome.errors;
    for (const std::string& part : parts)
      EXPECT_THAT(outcome.errors, HasSubstr(part));
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(BsplibProcess, S1_all_that_were_started_take_part_if_more_are_wanted) {
  const Outcome outcome = deed({"read"}, {"-n", "3"}, {.input = "99\n"});
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(sorted_lines(outcome.output),
              ElementsAre("0 of 3", "1 of 3", "2 of 3", "3 available", "after the end 3"));
}

TEST_F(BsplibProcess, S1_surplus_processes_end_silently_and_the_rest_are_a_world_of_their_own) {
  for (const std::string backend : {"", "loss=10%,rtt=5ms"}) {
    std::vector<std::string> options = {"-n", "4"};
    if (!backend.empty()) options.insert(options.end(), {"--wan", backend});
    const Outcome outcome = deed({"read"}, options, {.input = "2\n"});
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_THAT(sorted_lines(outcome.output),
                ElementsAre("0 of 2", "1 of 2", "4 available", "after the end 2"));
    EXPECT_THAT(outcome.errors, HasSubstr("on 2 ranks over "));
  }
}

TEST_F(BsplibProcess, S1_only_the_number_on_process_0_counts) {
  // wanted is 0 on all others: they have not run main.
  const Outcome outcome = deed({"read"}, {"-n", "3"}, {.input = "1\n"});
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(sorted_lines(outcome.output), ElementsAre("0 of 1", "3 available", "after the end 1"));
}

TEST_F(BsplibProcess, S1_without_init_all_run_main_and_the_surplus_leave_at_begin) {
  const Outcome outcome = deed({"begin"}, {"-n", "3"}, {.environment = {{"LBSP_TEST_RANKS", "2"}}});
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(sorted_lines(outcome.output),
              ElementsAre("0 of 2", "1 of 2", "after the end 2", "after the end 2"));
}

TEST_F(BsplibProcess, S1_less_than_one_process_aborts) {
  const Outcome outcome = deed({"read"}, {"-n", "2"}, {.input = "0\n"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("bsp_begin: 0 processes"));
}

TEST_F(BsplibProcess, S1_a_second_begin_aborts) {
  expect_failure({"begin again", "wrong"}, {"rank 1", "bsp_begin in superstep 1"});
}

TEST_F(BsplibProcess, S2_the_others_wait_for_process_0_longer_than_the_time_to_start) {
  // Process 0 is kept waiting for its input; all ranks have said hello in time.
  TemporaryFolder folder;
  const int limit = static_cast<int>(std::ceil(2 * slowness()));  // seconds
  const std::string script =
      folder.write("late.sh", fmt::format("( sleep {}; echo 2 ) | \"$@\"\n", limit + 1));
  std::vector<std::string> words = {"sh", script};
  const auto command = lbsp_run({"-n", "3", "--start-timeout", fmt::format("{}s", limit), program(), "read"});
  words.insert(words.end(), command.begin(), command.end());
  const Outcome outcome = Command(words).wait();
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("0 of 2"), HasSubstr("1 of 2")));
}

TEST_F(BsplibProcess, S2_init_twice_or_late_aborts) {
  expect_failure({"init twice"}, {"bsp_init before bsp_begin"});
  expect_failure({"nprocs, then init"}, {"bsp_init ", "another call of BSPlib came before"});
  expect_failure({"init in the middle", "wrong"}, {"bsp_init in superstep 1"});
}

TEST_F(BsplibProcess, S2_started_by_itself_it_is_a_world_of_one) {
  const Outcome outcome = Command({program(), ""}).wait();
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(sorted_lines(outcome.output), ElementsAre("0 of 1", "1 available", "after the end 1"));
}

TEST_F(BsplibProcess, S2_threads_are_refused_because_globals_would_be_shared) {
  const Outcome outcome = deed({""}, {"-n", "2", "--backend", "threads"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, AllOf(HasSubstr("--backend threads"), HasSubstr("leave the option out")));
  EXPECT_EQ(deed({""}, {"-n", "1", "--backend", "threads"}).code, 0);
}

TEST_F(BsplibProcess, S2_mpi_is_refused_by_one_line_for_all) {
  if (std::system("command -v mpirun > /dev/null") != 0) GTEST_SKIP() << "no mpirun here";
  const Outcome outcome = deed({""}, {"-n", "3", "--backend", "mpi"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(lines_of(outcome.errors),
              ElementsAre(AllOf(
                  StartsWith("lbsp: rank 0 on localhost: --backend mpi: messages of a program of bsp.h "),
                  HasSubstr("leave the option out, or start the program by mpirun"))));
}

TEST_F(BsplibProcess, S2_what_only_programs_that_are_called_again_can_have_is_refused_at_once) {
  const TemporaryFolder states;
  const std::vector<std::vector<std::string>> refused = {{"--on-failure", "shrink"},
                                                         {"--on-failure", "respawn"},
                                                         {"--checkpoint", states.path()},
                                                         {"--restart", states.path()}};
  for (const auto& options : refused) {
    std::vector<std::string> words = {"-n", "2"};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome outcome = deed({"read"}, words, {.input = "2\n"});
    EXPECT_EQ(outcome.code, 1) << options.back();
    EXPECT_EQ(outcome.output, "") << options.back();
    EXPECT_EQ(sorted_lines(reason_in(outcome)).size(), 1U) << outcome.errors;
    EXPECT_THAT(reason_in(outcome), AllOf(HasSubstr(options.front()), HasSubstr("leave them out for bsp.h")));
  }
}

TEST_F(BsplibProcess, S3_time_counts_from_begin) {
  EXPECT_EQ(deed({"time"}).code, 0);
}

TEST_F(BsplibProcess, S4_abort_ends_all_and_what_was_printed_is_not_lost) {
  const Outcome outcome = deed({"abort", "wrong"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.output, "said before\n");
  EXPECT_THAT(outcome.errors, HasSubstr("bsp_abort in superstep 1: enough 7"));
}

TEST_F(BsplibProcess, S4_abort_works_before_begin_and_after_end) {
  expect_failure({"abort first"}, {"before bsp_begin: before all"});
  const Outcome outcome = deed({"abort after"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("bsp_abort after bsp_end: too late"));
}

TEST_F(BsplibProcess, S5_end_on_one_rank_where_others_sync_aborts) {
  expect_failure({"end early", "wrong"}, {"superstep 1", "called bsp_sync", "rank 1 called bsp_end"});
}

TEST_F(BsplibProcess, S5_exit_without_end_is_an_error) {
  expect_failure({"exit", "wrong"}, {"rank 1", "in superstep 1 without bsp_end"});
  expect_failure({"thread's end", "wrong"},
                 {"rank 1", "the thread of bsp_begin ended in superstep 1 without bsp_end"});
  const Outcome outcome = deed({"no end"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("without bsp_end"));
}

TEST_F(BsplibProcess, S5_a_thread_that_ends_after_the_last_end_ends_the_program_in_order) {
  const Outcome outcome =
      deed({"thread's end after"}, {"-n", "3"}, {.environment = {{"LBSP_TEST_RANKS", "3"}}});
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_THAT(sorted_lines(outcome.output), ElementsAre("0 of 3", "1 of 3", "2 of 3", "after the end 3",
                                                        "after the end 3", "after the end 3"));
}

TEST_F(BsplibProcess, S5_exit_in_order_before_begin_is_the_programs_own_affair) {
  // All ranks, after a call of BSPlib, before any, and rank 0 alone while the others wait in bsp_begin.
  for (const std::string how : {"leave", "leave at once", "no begin"}) {
    const Outcome outcome = deed({how});
    EXPECT_EQ(outcome.code, 0) << how << ": " << outcome.errors;
    EXPECT_FALSE(outcome.timed_out) << how;
    EXPECT_THAT(outcome.errors, HasSubstr("ended before bsp_begin: there is nothing to report\n")) << how;
    EXPECT_EQ(sorted_lines(outcome.errors).size(), 1U) << outcome.errors;
  }
}

TEST_F(BsplibProcess, S5_exit_with_an_error_before_begin_is_the_jobs_error) {
  for (const std::string how : {"leave in error", "leave at once in error"})
    expect_failure({how}, {"ended with exit code 3"});
}

TEST_F(BsplibProcess, S5_a_rank_that_leaves_must_not_be_one_that_begin_wants) {
  const auto others_leave = [&](const std::string& ranks) {
    return deed({"others leave"}, {"-n", "2"}, {.environment = {{"LBSP_TEST_RANKS", ranks}}});
  };
  const Outcome wanted = others_leave("2");
  EXPECT_EQ(wanted.code, 1);
  EXPECT_THAT(
      wanted.errors,
      HasSubstr("rank 1 on localhost ended without bsp_begin, which rank 0 called for 2 ranks: call it"));
  const Outcome surplus = others_leave("1");
  EXPECT_EQ(surplus.code, 0) << surplus.errors;
  EXPECT_THAT(sorted_lines(surplus.output), ElementsAre("0 of 1", "2 available", "after the end 1"));
}

TEST_F(BsplibProcess, S3_input_read_before_init_is_told_as_what_it_is) {
  for (const std::string how : {"read before init", "read before init and abort"}) {
    const Outcome outcome = deed({how}, {"-n", "3"}, {.input = "2\n"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.errors, HasSubstr("only process 0 has the standard input")) << how;
    EXPECT_THAT(outcome.errors, HasSubstr("make that the first statement of main")) << how;
  }
  const Outcome empty = deed({"read before init"}, {"-n", "1"});
  EXPECT_THAT(empty.errors, HasSubstr("ended with exit code 1")) << "process 0 found its input empty";
}

TEST_F(BsplibProcess, S5_calls_outside_the_spmd_part_abort) {
  expect_failure({"pid first"}, {"bsp_pid ", " before bsp_begin"});
  expect_failure({"sync first"}, {"bsp_sync ", " before bsp_begin"});
  expect_failure({"end first"}, {"bsp_end ", " before bsp_begin"});
  const Outcome outcome = deed({"sync after"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("bsp_sync after bsp_end"));
}

TEST_F(BsplibProcess, D4_wrong_transfers_end_the_job_with_one_line) {
  expect_failure({"put out of range", "wrong"},
                 {"bsp_put in superstep 1: 4 bytes at offset 4, but rank 0 has registered 4 bytes"});
  expect_failure({"pid too large", "wrong"}, {"bsp_put in superstep 1: there is no process 3"});
  expect_failure({"unregistered", "wrong"}, {"bsp_put in superstep 1", "not registered here"});
}

TEST_F(BsplibProcess, R1_M1_disagreements_end_the_job_with_one_line) {
  expect_failure({"push more", "wrong"}, {"bsp_sync ", "in superstep 1", "rank 1 called bsp_push_reg"});
  expect_failure({"tag size", "wrong"},
                 {"bsp_sync ", "in superstep 1", "rank 1 called bsp_set_tagsize with 4"});
}

TEST_F(BsplibProcess, says_what_was_put_after_the_last_sync) {
  const Outcome outcome = deed({"put late"});
  EXPECT_EQ(outcome.code, 0) << "old programs may do so";
  EXPECT_THAT(outcome.errors,
              HasSubstr("lbsp: bsp_end on rank 1 in superstep 1 loses 8 bytes put, 1 message sent since the "
                        "last bsp_sync: call bsp_sync before bsp_end\n"));
  EXPECT_THAT(outcome.errors, Not(HasSubstr("bsp_end on rank 0")));
}

TEST_F(BsplibProcess, has_the_trace_that_an_estimate_needs) {
  const TemporaryFolder folder;
  const Outcome outcome = deed({"time"}, {"-n", "3", "--trace", folder.path() / "trace"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(folder.read("trace"), AllOf(HasSubstr("\"cpu\":"), Not(HasSubstr("\"cpu\":null"))));
}

}  // namespace
}  // namespace lbsp::test
