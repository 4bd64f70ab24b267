// Programs that mpirun starts, which tells them by PMIx of each other: no lbsp run, and no MPI in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "tests/tools/command.hpp"

namespace lbsp::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

Outcome started_by_mpirun(int ranks, const std::vector<std::string>& program,
                          const CommandSettings& settings = {}) {
  std::vector<std::string> words = {"mpirun", "-n", std::to_string(ranks), "--oversubscribe", "--quiet"};
  if (::geteuid() == 0) words.emplace_back("--allow-run-as-root");
  words.insert(words.end(), program.begin(), program.end());
  return Command(words, settings).wait();
}

TEST(Starter, finds_its_world_under_mpirun) {
  const auto outcome = started_by_mpirun(4, {built("matmul"), "--size", "60", "--verify"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("P=4"));
  EXPECT_THAT(outcome.output, HasSubstr(", verified"));
}

TEST(Starter, one_rank_is_a_world_too) {
  const auto outcome = started_by_mpirun(1, {built("matmul"), "--size", "30", "--verify"});
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("P=1"));
}

TEST(Starter, the_failure_of_one_rank_is_told_in_one_line) {
  for (const std::string rank : {"0", "2"}) {
    const auto outcome = started_by_mpirun(3, {built("job_probe"), "throw", rank, "size"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.errors,
                MatchesRegex("lbsp: rank " + rank + " on [^ ]+: the size is wrong: give another\n"));
  }
}

TEST(Starter, the_reason_of_a_rank_that_ends_the_job_is_told) {
  for (const std::string rank : {"0", "2"}) {
    const auto outcome = started_by_mpirun(3, {built("job_probe"), "abort", rank, "enough"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.errors, MatchesRegex("lbsp: rank " + rank + " on [^ ]+ ended the job: enough\n"));
  }
}

TEST(Starter, a_failure_of_all_ranks_is_told_in_one_line) {
  const auto outcome = started_by_mpirun(2, {built("matmul"), "--size", "60"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors,
              MatchesRegex("lbsp: rank 0 on [^ ]+: a square grid cannot be made of 2 ranks: start 1 or 4\n"));
}

TEST(Starter, a_rank_that_is_killed_ends_all) {
  const auto outcome = started_by_mpirun(3, {built("job_probe"), "kill-self", "1", "9"});
  EXPECT_NE(outcome.code, 0);
  EXPECT_FALSE(outcome.timed_out);
}

TEST(Starter, ranks_that_wait_for_one_that_never_joins_end_in_bounded_time_and_say_so) {
  const std::string script = "[ $OMPI_COMM_WORLD_RANK = 1 ] || exec " + built("job_probe") + " steps 1";
  const auto outcome =
      started_by_mpirun(2, {"sh", "-c", script}, {.environment = {{"LBSP_START_TIMEOUT", "500ms"}}});
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("lbsp: rank 0 on "));
  EXPECT_THAT(outcome.errors,
              HasSubstr("did not call lbsp::run, bsp_init or bsp_begin within 500ms: see that every"));
}

TEST(Starter, a_start_timeout_that_is_none_is_named) {
  for (const char* wrong : {"soon", "0s"}) {
    const auto outcome = started_by_mpirun(1, {built("job_probe"), "steps", "1"},
                                           {.environment = {{"LBSP_START_TIMEOUT", wrong}}});
    EXPECT_EQ(outcome.code, 1) << wrong;
    EXPECT_THAT(outcome.errors, HasSubstr("lbsp: LBSP_START_TIMEOUT")) << wrong;
  }
}

TEST(Starter, that_cannot_be_asked_is_named) {
  const auto outcome = Command({built("job_probe"), "steps", "1"},
                               {.environment = {{"PMIX_NAMESPACE", "gone"}, {"PMIX_RANK", "0"}}})
                           .wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.output, IsEmpty());
  EXPECT_THAT(outcome.errors, HasSubstr("lbsp: PMIx does not let the program join the job"));
}

}  // namespace
}  // namespace lbsp::test
