#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/uv/loop.hpp"

namespace lbsp::uv {

/// A child process.
class Process {
 public:
  struct Spec {
    std::vector<std::string> arguments;    ///< the first is the file, a path
    std::vector<std::string> environment;  ///< NAME=value
    std::string directory;                 ///< to start in; empty: this process's
    std::vector<int> descriptors;          ///< the child's 0, 1, …; -1 is /dev/null for the first three
  };

  /// `on_exit` gets the exit code and the signal that ended it, or 0; it must not destroy this object.
  /// Throws SystemError if it cannot be started.
  Process(Loop& loop, const Spec& spec, std::function<void(int code, int signal)> on_exit);

  bool running() const { return running_; }
  int pid() const { return pid_; }
  /// To the child and, if it leads a process group, to all of that. Does nothing once it has exited.
  void signal(int number);

 private:
  std::function<void(int, int)> on_exit_;
  Handle<uv_process_t> handle_;
  int pid_ = 0;
  bool running_ = true;
};

}  // namespace lbsp::uv
