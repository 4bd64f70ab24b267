#include "tools/launch/job_process.hpp"

#include <csignal>
#include <gtest/gtest.h>

namespace lbsp::launch {
namespace {

TEST(JobProcess, was_killed_by_others_or_has_crashed) {
  const auto killed_by = [](int signal) { return was_killed({.code = 0, .signal = signal, .problem = {}}); };
  EXPECT_TRUE(killed_by(SIGKILL));
  EXPECT_TRUE(killed_by(SIGTERM));
  EXPECT_FALSE(killed_by(SIGSEGV));
  EXPECT_FALSE(killed_by(0));
}

}  // namespace
}  // namespace lbsp::launch
