#include "lbsp/job/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "transport/error.hpp"

namespace lbsp {
namespace {

TEST(Run, without_a_launcher_is_a_world_of_one) {
  Rank size = 0;
  const int code = run([&](World& world) {
    size = world.size();
    world.sync();
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(size, 1);
}

TEST(Run, says_what_the_program_threw_in_one_line) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(run([](World&) { throw Error("no such\nfile: give another"); }), 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "lbsp: no such file: give another\n");
}

TEST(Run, says_that_memory_ran_out) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(run([](World&) { throw std::bad_alloc(); }), 1);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::StartsWith("lbsp: out of memory"));
}

TEST(Run, fails_when_the_program_aborts) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(run([](World& world) { world.abort("enough"); }), 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "lbsp: rank 0 ended the job: enough\n");
}

}  // namespace
}  // namespace lbsp
