#include "tools/launch/processes/reached_limit.hpp"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lbsp::launch::processes {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ReachedLimit, of_processor_time_is_told_from_another_kill_by_what_was_used) {
  const ProcessLimits limits{
      .signalled_seconds = 4, .killed_seconds = 5, .stack_bytes = {}, .file_bytes = {}};
  EXPECT_THAT(reached_limit(SIGKILL, 5.01, limits),
              AllOf(HasSubstr("up the 5 s of"), HasSubstr("ulimit -t")));
  EXPECT_THAT(reached_limit(SIGKILL, 4.3, limits), HasSubstr("ulimit -t")) << "on a busy machine";
  EXPECT_THAT(reached_limit(SIGKILL, 3, limits), IsEmpty());
  EXPECT_THAT(reached_limit(SIGSEGV, 5.01, limits), IsEmpty());
  EXPECT_THAT(reached_limit(SIGKILL, 5.01, {}), IsEmpty());
}

/// Another process may have set the limit.
TEST(ReachedLimit, of_processor_time_has_a_signal_of_its_own) {
  EXPECT_THAT(reached_limit(SIGXCPU, 2, {}), HasSubstr("used up the processor time"));
  EXPECT_THAT(
      reached_limit(SIGXCPU, 2,
                    {.signalled_seconds = 2, .killed_seconds = {}, .stack_bytes = {}, .file_bytes = {}}),
      HasSubstr("up the 2 s of processor time"));
}

TEST(ReachedLimit, of_the_stack_is_named_where_it_is_small) {
  const ProcessLimits small{
      .signalled_seconds = {}, .killed_seconds = {}, .stack_bytes = 64 << 10, .file_bytes = {}};
  const ProcessLimits usual{
      .signalled_seconds = {}, .killed_seconds = {}, .stack_bytes = 8 << 20, .file_bytes = {}};
  EXPECT_THAT(reached_limit(SIGSEGV, 0, small), HasSubstr("no more than 64KiB"));
  EXPECT_THAT(reached_limit(SIGBUS, 0, small), HasSubstr("ulimit -s"));
  EXPECT_THAT(reached_limit(SIGABRT, 0, small), IsEmpty());
  EXPECT_THAT(reached_limit(SIGSEGV, 0, usual), IsEmpty());
  EXPECT_THAT(reached_limit(SIGSEGV, 0, {}), IsEmpty());
}

TEST(ReachedLimit, of_a_file_has_a_signal_of_its_own) {
  const ProcessLimits limits{
      .signalled_seconds = {}, .killed_seconds = {}, .stack_bytes = {}, .file_bytes = 1 << 20};
  EXPECT_THAT(reached_limit(SIGXFSZ, 0, limits), AllOf(HasSubstr(", 1MiB: "), HasSubstr("ulimit -f")));
  EXPECT_THAT(reached_limit(SIGXFSZ, 0, {}), HasSubstr("may be there: raise the limit (ulimit -f)"));
  EXPECT_THAT(reached_limit(SIGKILL, 0, limits), IsEmpty());
}

}  // namespace
}  // namespace lbsp::launch::processes
