#include "tools/launch/crash_loop.hpp"

#include <csignal>
#include <gtest/gtest.h>

#include "tools/launch/job_process.hpp"

namespace lbsp::launch {
namespace {

using namespace std::chrono_literals;

/// How many crashes of one rank, so far apart, it takes; 0 if twenty are not enough.
int crashes_until_it_ends(CrashLoop::Clock::duration apart) {
  CrashLoop loop;
  CrashLoop::Clock::time_point now{1h};
  for (int crashes = 1; crashes <= 20; ++crashes, now += apart)
    if (loop.crashed(3, now)) return crashes;
  return 0;
}

TEST(CrashLoop, is_five_crashes_in_a_row) {
  EXPECT_EQ(crashes_until_it_ends(1s), CrashLoop::most_crashes);
  EXPECT_EQ(crashes_until_it_ends(1min), CrashLoop::most_crashes);
}

TEST(CrashLoop, is_none_where_each_has_lived_for_long) {
  EXPECT_EQ(crashes_until_it_ends(61s), 0);
}

TEST(CrashLoop, counts_each_rank_alone) {
  CrashLoop loop;
  const CrashLoop::Clock::time_point now{1h};
  for (int i = 1; i < CrashLoop::most_crashes; ++i) {
    EXPECT_FALSE(loop.crashed(0, now));
    EXPECT_FALSE(loop.crashed(1, now));
  }
  EXPECT_TRUE(loop.crashed(1, now));
}

TEST(CrashLoop, is_not_for_processes_that_others_kill) {
  const auto killed_by = [](int signal) { return was_killed({.code = 0, .signal = signal, .problem = {}}); };
  EXPECT_TRUE(killed_by(SIGKILL));
  EXPECT_TRUE(killed_by(SIGTERM));
  EXPECT_FALSE(killed_by(SIGSEGV));
  EXPECT_FALSE(killed_by(0));
}

}  // namespace
}  // namespace lbsp::launch
