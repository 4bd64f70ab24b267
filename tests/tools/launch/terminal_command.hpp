#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tests/tools/command.hpp"

namespace lbsp::test {

/// A command on a terminal of its own, as a person starts it: in a session whose controlling terminal that
/// is.
class TerminalCommand {
 public:
  explicit TerminalCommand(const std::vector<std::string>& words, unsigned short rows = 24,
                           unsigned short columns = 80);
  TerminalCommand(const TerminalCommand&) = delete;
  TerminalCommand& operator=(const TerminalCommand&) = delete;
  ~TerminalCommand();

  int pid() const { return pid_; }
  /// What a person types; "\x03" is ^C.
  void type(const std::string& keys) const;
  void resize(unsigned short rows, unsigned short columns) const;

  /// Reads until the screen has the text, counted from where the last such wait ended. False: it did not
  /// come in time.
  bool shows(const std::string& text, std::chrono::milliseconds patience = std::chrono::seconds{20});
  /// All that has been shown.
  const std::string& screen() const { return screen_; }

  /// The exit code, when it has ended, or 128 + the signal that killed it; -1 if it does not end in time.
  int wait(std::chrono::seconds patience = std::chrono::seconds{30});

 private:
  bool read_more(std::chrono::milliseconds patience);

  int pid_ = -1;
  int terminal_ = -1;
  std::string screen_;
  std::size_t seen_ = 0;
};

/// Whether the process is stopped, or is not, at the latest after a while.
bool reaches_state(int pid, bool stopped);

/// A job that a shell has in the foreground, with these processes: all of them stop by ^Z, and continue by fg …
void expect_to_stop_and_continue(TerminalCommand& shell, const std::vector<int>& pids);
/// … and end by ^C; then the shell is left.
void expect_to_end_by_control_c(TerminalCommand& shell, const std::vector<int>& pids);

/// Ends a shell once it has its terminal back; before, its job reads what is typed.
void leave_shell(TerminalCommand& shell);

}  // namespace lbsp::test
