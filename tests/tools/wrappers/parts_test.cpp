// Programs of bsp.h with more than one SPMD part.
#include <gmock/gmock.h>

#include "tests/tools/wrappers/lbspcc.hpp"

namespace lbsp::test {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

class BsplibParts : public testing::Test {
 protected:
  BsplibParts() {
    expect_compiles("lbspcc", {"-O1", "-Wall", "-o", program(), std::string(BSPLIB_SOURCES) + "/parts.c"},
                    {});
  }

  std::string program() const { return folder_.path() / "parts"; }
  Outcome parts(const std::string& deed, std::vector<std::string> options = {"-n", "3"}) const {
    options.insert(options.end(), {program(), deed});
    return run(options);
  }
  void expect_failure(const std::string& deed, const std::string& reason) const {
    const Outcome outcome = parts(deed);
    EXPECT_EQ(outcome.code, 1) << outcome.output;
    EXPECT_FALSE(outcome.timed_out);
    EXPECT_THAT(outcome.errors, HasSubstr(reason));
  }

 private:
  TemporaryFolder folder_;
};

const auto all_parts =
    UnorderedElementsAre("first: 0 of 3, sum 3, part 1 here", "first: 1 of 3, sum 3, part 1 here",
                         "first: 2 of 3, sum 3, part 1 here", "between", "second: 0 of 2, sum 1, part 2 here",
                         "second: 1 of 2, sum 1, part 2 here", "second: 0 of 2, sum 1, part 3 here",
                         "second: 1 of 2, sum 1, part 3 here", "first: 0 of 3, sum 3, part 4 here",
                         "first: 1 of 3, sum 3, part 4 here", "first: 2 of 3, sum 3, part 2 here", "after");

TEST_F(BsplibParts, each_has_its_function_and_as_many_processes_as_process_0_wants) {
  using Options = std::vector<std::string>;
  for (const Options& options :
       {Options{"-n", "3"}, Options{"-n", "4"}, Options{"-n", "3", "--shared-memory", "off"},
        Options{"-n", "3", "--wan", "loss=10%,rtt=5ms"}}) {
    const Outcome outcome = parts("", options);
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_THAT(lines_of(outcome.output), all_parts);
  }
}

TEST_F(BsplibParts,
       without_init_all_processes_begin_each_part_and_those_that_one_leaves_out_are_out_for_good) {
  const Outcome outcome = parts("without init");
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(lines_of(outcome.output),
              UnorderedElementsAre("first: 0 of 3, sum 3, part 1 here", "first: 1 of 3, sum 3, part 1 here",
                                   "first: 2 of 3, sum 3, part 1 here", "second: 0 of 2, sum 1, part 2 here",
                                   "second: 1 of 2, sum 1, part 2 here", "third: 0 of 2, sum 1, part 3 here",
                                   "third: 1 of 2, sum 1, part 3 here"));
}

TEST_F(BsplibParts, a_program_by_itself_runs_each_as_a_world_of_one) {
  const Outcome outcome = Command({program(), ""}).wait();
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("first: 0 of 1, sum 0, part 4 here\nafter\n"));
}

TEST_F(BsplibParts, the_report_has_the_supersteps_of_all) {
  const Outcome outcome = parts("");
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("supersteps  12")) << "three in each of four parts";
}

TEST_F(BsplibParts, what_main_returns_is_the_programs_end) {
  const Outcome outcome = parts("error");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("rank 0 on localhost ended with exit code 3"));
}

TEST_F(BsplibParts, a_process_may_leave_by_underscore_exit_after_the_last) {
  for (const std::string who : {"_exit", "_exit of another"}) {
    const Outcome outcome = parts(who);
    EXPECT_EQ(outcome.code, 0) << who << ": " << outcome.errors;
    EXPECT_EQ(lines_of(outcome.output).size(), 3U);
    EXPECT_THAT(outcome.errors, HasSubstr("supersteps  3\n"));
  }
}

TEST_F(BsplibParts, a_process_that_leaves_by_underscore_exit_in_the_middle_of_one_is_the_jobs_error_at_once) {
  for (const std::string deed : {"_exit in the first", "_exit in the second"}) {
    const Outcome outcome = parts(deed, {"-n", "3", "--wan", "loss=1%,rtt=5ms", "--peer-timeout", "10min"});
    EXPECT_EQ(outcome.code, 1) << deed;
    EXPECT_FALSE(outcome.timed_out) << deed;
    EXPECT_THAT(outcome.errors,
                HasSubstr("rank 1 on localhost ended in the midst of an SPMD part, with exit code 0: "))
        << deed;
  }
}

TEST_F(BsplibParts, a_process_that_does_not_come_to_the_next_one_ends_the_job) {
  expect_failure("exit",
                 "rank 1 on localhost: exit after bsp_end, where process 0 begins another SPMD part: return");
  expect_failure("no begin",
                 "rank 1 on localhost: the function of bsp_init returned after bsp_end without bsp_begin");
  expect_failure("one ends",
                 "process 0 begins another SPMD part where process 1 ends the program: call bsp_begin");
  expect_failure("abort", "bsp_abort in superstep 0: enough");
}

}  // namespace
}  // namespace lbsp::test
