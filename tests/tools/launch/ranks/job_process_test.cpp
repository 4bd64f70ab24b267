#include "tools/launch/ranks/job_process.hpp"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lbsp::launch::ranks {
namespace {

TEST(JobProcess, was_killed_by_others_or_has_crashed) {
  const auto killed_by = [](int signal) { return was_killed({.code = 0, .signal = signal, .problem = {}}); };
  EXPECT_TRUE(killed_by(SIGKILL));
  EXPECT_TRUE(killed_by(SIGTERM));
  EXPECT_FALSE(killed_by(SIGSEGV));
  EXPECT_FALSE(killed_by(0));
}

TEST(JobProcess, that_crashed_without_a_word_comes_with_what_to_do) {
  JobProcess process;
  process.name = "rank 1 on localhost";
  const auto said_of = [&](int signal) {
    return describe_end(process, {.code = 0, .signal = signal, .problem = {}}, true);
  };
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    EXPECT_THAT(said_of(signal), testing::HasSubstr("run it under a debugger"));
    EXPECT_THAT(said_of(signal), testing::Not(testing::HasSubstr("output above")));
  }
  EXPECT_THAT(said_of(SIGSEGV), testing::StartsWith("rank 1 on localhost was killed by SIGSEGV: build it "));
  EXPECT_THAT(said_of(SIGABRT), testing::HasSubstr("see its output above"));
  EXPECT_THAT(said_of(SIGKILL), testing::HasSubstr("memory ran out"));
}

/// Where world.abort() is called by another thread of the program, what it throws ends the process so.
TEST(JobProcess, that_has_said_why_it_fails_may_abort) {
  JobProcess process;
  process.name = "rank 1 on localhost";
  process.failed = true;
  const auto said_of = [&](int signal) {
    return describe_end(process, {.code = 0, .signal = signal, .problem = {}}, true);
  };
  EXPECT_EQ(said_of(SIGABRT), "");
  EXPECT_THAT(said_of(SIGSEGV), testing::HasSubstr("was killed by SIGSEGV"));
}

TEST(JobProcess, that_reached_a_limit_of_its_host_comes_with_that) {
  JobProcess process;
  process.name = "rank 1 on node2";
  const job::Exited end{.code = 0, .signal = SIGKILL, .problem = {}, .limit = "out of time: raise it"};
  EXPECT_EQ(describe_end(process, end, true), "rank 1 on node2 was killed by SIGKILL: out of time: raise it");
}

TEST(JobProcess, has_departed_when_all_its_ranks_have_reported_and_it_has_not_failed) {
  JobProcess process;
  process.spawn.ranks = 2;
  process.reports = 1;
  EXPECT_FALSE(process.has_departed());
  process.reports = 2;
  EXPECT_TRUE(process.has_departed());
  process.failed = true;
  EXPECT_FALSE(process.has_departed()) << "it reports then, too";
}

/// It waits for the others between its SPMD parts.
TEST(JobProcess, of_a_program_of_bsp_h_has_departed_when_it_has_ended) {
  JobProcess process;
  process.begun = true;
  process.reports = 1;
  EXPECT_FALSE(process.has_departed());
  process.ended = true;
  EXPECT_TRUE(process.has_departed());
}

}  // namespace
}  // namespace lbsp::launch::ranks
