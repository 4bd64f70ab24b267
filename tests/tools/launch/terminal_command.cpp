#include "tests/tools/launch/terminal_command.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "tests/support/sanitized.hpp"

namespace lbsp::test {
namespace {

/// Its state as ps shows it: R, S, T (stopped), ….
char state_of(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const auto name_end = text.rfind(')');
  return name_end == std::string::npos ? '-' : text.at(name_end + 2);
}

}  // namespace

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

TerminalCommand::TerminalCommand(const std::vector<std::string>& words, unsigned short rows,
                                 unsigned short columns) {
  const std::vector<char*> arguments = arguments_of(words);
  winsize window{};
  window.ws_row = rows;
  window.ws_col = columns;
  pid_ = ::forkpty(&terminal_, nullptr, nullptr, &window);
  EXPECT_GE(pid_, 0) << "no terminal";
  if (pid_ != 0) return;
  ::setenv("TERM", "xterm", 1);
  ::execvp(arguments[0], arguments.data());
  ::_exit(126);
}

TerminalCommand::~TerminalCommand() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(terminal_);
}

void TerminalCommand::type(const std::string& keys) const {
  EXPECT_EQ(::write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
}

void TerminalCommand::resize(unsigned short rows, unsigned short columns) const {
  winsize window{};
  window.ws_row = rows;
  window.ws_col = columns;
  ::ioctl(terminal_, TIOCSWINSZ, &window);
}

bool TerminalCommand::read_more(milliseconds patience) {
  pollfd readable{terminal_, POLLIN, 0};
  if (::poll(&readable, 1, static_cast<int>(patience.count())) <= 0) return false;
  std::array<char, 4096> bytes{};
  const ssize_t got = ::read(terminal_, bytes.data(), bytes.size());
  if (got <= 0) return false;
  screen_.append(bytes.data(), static_cast<std::size_t>(got));
  return true;
}

bool TerminalCommand::shows(const std::string& text, milliseconds patience) {
  const auto end = Clock::now() + patience * patience_factor;
  for (;;) {
    const auto found = screen_.find(text, seen_);
    if (found != std::string::npos) {
      seen_ = found + text.size();
      return true;
    }
    const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
    if (left <= milliseconds{0} || !read_more(left)) return false;
  }
}

int TerminalCommand::wait(std::chrono::seconds patience) {
  const auto end = Clock::now() + patience * patience_factor;
  int status = 0;
  while (::waitpid(pid_, &status, WNOHANG) != pid_) {
    if (Clock::now() > end) return -1;
    read_more(milliseconds{20});
  }
  pid_ = -1;
  while (read_more(milliseconds{20})) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool reaches_state(int pid, bool stopped) {
  return wait_until([&] { return (state_of(pid) == 'T') == stopped; }, std::chrono::seconds{10});
}

void expect_to_stop_and_continue(TerminalCommand& shell, const std::vector<int>& pids) {
  shell.type("\x1a");
  for (const int pid : pids)
    EXPECT_TRUE(reaches_state(pid, true)) << "not stopped";
  ASSERT_TRUE(shell.shows("Stopped")) << shell.screen();
  std::this_thread::sleep_for(std::chrono::milliseconds{300});
  shell.type("fg\n");
  for (const int pid : pids)
    EXPECT_TRUE(reaches_state(pid, false)) << "still stopped";
}

void expect_to_end_by_control_c(TerminalCommand& shell, const std::vector<int>& pids) {
  shell.type("\x03");
  ASSERT_TRUE(shell.shows("ended by SIGINT")) << shell.screen();
  leave_shell(shell);
  for (const int pid : pids)
    EXPECT_TRUE(disappears(pid));
}

void leave_shell(TerminalCommand& shell) {
  ASSERT_TRUE(shell.shows("bash-")) << shell.screen();
  shell.type("exit\n");
  EXPECT_NE(shell.wait(), -1) << shell.screen();
}

}  // namespace lbsp::test
