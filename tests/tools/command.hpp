#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace lbsp::test {

/// How a command ended and what it wrote.
struct Outcome {
  int code = -1;   ///< exit code, if it was not killed
  int signal = 0;  ///< that killed it
  std::string output;
  std::string errors;
  bool timed_out = false;  ///< and was therefore killed
};

/// Why a job failed: what it printed on standard error without the report of what it had done, if that comes
/// first. All of it if there is no such report.
std::string reason_in(const Outcome& outcome);

std::vector<std::string> lines_of(const std::string& text);

/// The words as execvp takes them, which must live as long.
std::vector<char*> arguments_of(const std::vector<std::string>& words);

struct CommandSettings {
  std::string input = {};  ///< for its standard input
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::string directory = {};
};

/// A command in a process group of its own, as a shell starts it.
class Command {
 public:
  explicit Command(const std::vector<std::string>& words, const CommandSettings& settings = {});
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command();

  int pid() const { return pid_; }
  void signal(int number) const;
  /// Gives it up after `patience`; under a sanitizer, after longer.
  Outcome wait(std::chrono::seconds patience = std::chrono::seconds{60});

 private:
  TemporaryFolder folder_;
  int pid_ = -1;
};

/// `lbsp run` with these arguments, as a user starts it.
std::vector<std::string> lbsp_run(std::vector<std::string> arguments);
Outcome run(const std::vector<std::string>& arguments, const CommandSettings& settings = {});

/// Options for what carries the messages between ranks of this machine, each once.
std::vector<std::vector<std::string>> all_carriers();

/// The path of the program of that name beside lbsp.
std::string built(const std::string& name);

/// Whether it comes to that within `patience`; under a sanitizer, within longer.
bool wait_until(const std::function<bool()>& reached, std::chrono::seconds patience);

/// Waits until every rank below `ranks` has written its process id into a file of `folder` named by its
/// number. Returns no more than there are in time.
std::vector<int> wait_for_pids(const TemporaryFolder& folder, int ranks);

/// The child of `parent` that runs a program of that name; 0 if there is none.
int child_of(int parent, const std::string& name);

/// The processor time that a process has used; none if it is gone.
std::chrono::milliseconds processor_time(int pid);

/// Whether the process is gone, at the latest after a while. One that is dead but not yet reaped is gone.
bool disappears(int pid);

}  // namespace lbsp::test
