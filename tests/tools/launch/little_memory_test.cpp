// Jobs whose processes may have little memory (ulimit -v).
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/sanitized.hpp"
#include "tests/tools/command.hpp"

namespace lbsp::test {
namespace {

using namespace ::testing;

/// `lbsp run` with these arguments, each process of which may have so much address space.
Outcome run_within(std::size_t kibibytes, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"sh", "-c", "ulimit -v " + std::to_string(kibibytes) + "; exec \"$@\"",
                                 "sh"};
  std::ranges::copy(lbsp_run(arguments), std::back_inserter(words));
  return Command(words).wait();
}

TEST(LittleMemory, is_enough_for_the_report_of_many_supersteps) {
  if (test::sanitized) GTEST_SKIP() << "a sanitizer needs more address space than this leaves";
  const Outcome outcome = run_within(220'000, {"-n", "2", "--", built("job_probe"), "steps", "100000"});
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("supersteps  100000\n"));
}

TEST(LittleMemory, that_runs_out_while_a_rank_tells_what_it_has_done_ends_the_job_with_one_line) {
  if (test::sanitized) GTEST_SKIP() << "a sanitizer needs more address space than this leaves";
  for (const auto& carrier : all_carriers()) {
    for (const char* left : {"16", "128", "500"}) {
      SCOPED_TRACE(PrintToString(carrier) + ", " + left + " KiB left");
      std::vector<std::string> words{"-n", "2"};
      std::ranges::copy(carrier, std::back_inserter(words));
      std::ranges::copy(std::vector<std::string>{"--", built("job_probe"), "hoard", "1", left},
                        std::back_inserter(words));
      const Outcome outcome = run_within(1'000'000, words);
      EXPECT_EQ(outcome.code, 1);
      EXPECT_FALSE(outcome.timed_out);
      EXPECT_THAT(lines_of(reason_in(outcome)),
                  ElementsAre(AllOf(StartsWith("lbsp: "), HasSubstr("out of memory: "))))
          << outcome.errors;
    }
  }
}

}  // namespace
}  // namespace lbsp::test
