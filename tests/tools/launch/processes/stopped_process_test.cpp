#include "tools/launch/processes/stopped_process.hpp"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace lbsp::launch::processes {
namespace {

/// A shell's command, in a process group of its own that ends with this object.
class ShellCommand {
 public:
  explicit ShellCommand(const char* command) {
    if (::pipe2(output_, O_CLOEXEC) != 0) std::abort();
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::setpgid(0, 0);
    ::dup2(output_[1], STDOUT_FILENO);
    ::execl("/bin/sh", "sh", "-c", command, nullptr);
    ::_exit(127);
  }
  ~ShellCommand() {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    ::close(output_[0]);
    ::close(output_[1]);
  }
  ShellCommand(const ShellCommand&) = delete;
  ShellCommand& operator=(const ShellCommand&) = delete;

  pid_t pid() const { return pid_; }
  void wait_for_output() const {
    char byte = 0;
    EXPECT_EQ(::read(output_[0], &byte, 1), 1);
  }

 private:
  int output_[2];
  pid_t pid_;
};

/// What it does to itself takes a moment.
bool becomes(bool stopped, pid_t process) {
  for (int i = 0; i < 2000; ++i) {
    if (is_stopped(process) == stopped) return true;
    ::usleep(5'000);
  }
  return false;
}

TEST(StoppedProcess, is_one_that_sigstop_has_stopped_until_it_is_continued) {
  const ShellCommand command("kill -STOP $$; exec sleep 100");
  EXPECT_TRUE(becomes(true, command.pid()));
  ::kill(command.pid(), SIGCONT);
  EXPECT_TRUE(becomes(false, command.pid()));
}

TEST(StoppedProcess, is_a_shell_that_waits_for_one) {
  const ShellCommand command("sh -c 'kill -STOP $$; exec sleep 100'; exit 0");
  EXPECT_TRUE(becomes(true, command.pid()));
}

TEST(StoppedProcess, is_no_shell_that_has_a_child_that_runs) {
  const ShellCommand command("sleep 100 & sleep 100 & kill -STOP $!; echo; wait");
  command.wait_for_output();
  EXPECT_FALSE(is_stopped(command.pid()));
}

TEST(StoppedProcess, is_none_that_has_ended) {
  pid_t ended = 0;
  {
    const ShellCommand command("exit 0");
    ended = command.pid();
  }
  EXPECT_FALSE(is_stopped(ended));
}

}  // namespace
}  // namespace lbsp::launch::processes
