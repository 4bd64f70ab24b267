// What processes left that were killed while they gave the files of a kept job their names.
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tools/command.hpp"

namespace lbsp::test {
namespace {

using testing::StartsWith;

/// The folder of all jobs, in a TMPDIR of its own, as a keeper left it that was killed while it gave its files names.
class LeftBehind {
 public:
  LeftBehind() {
    const pid_t dead = ::fork();
    if (dead == 0) ::_exit(0);
    ::waitpid(dead, nullptr, 0);
    std::filesystem::create_directories(filled_by(dead));
    std::filesystem::permissions(jobs(), std::filesystem::perms::owner_all);
    std::ofstream(filled_by(dead) / "output") << "what the job wrote";
  }

  CommandSettings settings() const { return {.environment = {{"TMPDIR", folder_.path()}}}; }
  std::filesystem::path jobs() const { return folder_.path() / ("lbsp-" + std::to_string(::geteuid())); }
  std::filesystem::path filled_by(pid_t process) const { return jobs() / ("new-" + std::to_string(process)); }

 private:
  TemporaryFolder folder_;
};

TEST(Attach, removes_what_a_keeper_left_that_was_killed) {
  const LeftBehind left;
  const Outcome outcome = Command({built("lbsp"), "attach"}, left.settings()).wait();
  EXPECT_THAT(outcome.errors, StartsWith("lbsp: no job of yours "));
  EXPECT_FALSE(std::filesystem::exists(left.jobs()));
}

TEST(Attach, leaves_alone_what_a_keeper_fills_that_lives) {
  const LeftBehind left;
  std::filesystem::create_directory(left.filled_by(::getpid()));
  // Of another container, which has other process ids.
  const std::filesystem::path elsewhere = left.filled_by(std::numeric_limits<pid_t>::max());
  std::filesystem::create_directory(elsewhere);
  const int held = ::open(elsewhere.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  Command({built("lbsp"), "attach"}, left.settings()).wait();
  ::close(held);
  EXPECT_TRUE(std::filesystem::exists(left.filled_by(::getpid())));
  EXPECT_TRUE(std::filesystem::exists(elsewhere));
}

TEST(Front, removes_what_a_keeper_left_that_was_killed) {
  const LeftBehind left;
  const Outcome outcome =
      run({"-n", "2", "--on-failure", "shrink", "--", built("job_probe"), "steps", "1"}, left.settings());
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_FALSE(std::filesystem::exists(left.jobs()));
}

}  // namespace
}  // namespace lbsp::test
