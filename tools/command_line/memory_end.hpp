#pragma once

#include <new>

namespace lbsp::command_line {

/// As what is said where memory runs out.
inline constexpr const char* out_of_memory =
    "out of memory: give a smaller file or problem, or raise the limit of memory (ulimit -v)";

/// While this lives, the process says so at once where memory runs out, and ends with exit code 1. JSON takes memory
/// even while it is given back, so that std::bad_alloc would not get out of it. Make it before the JSON, where nothing
/// would be left behind: no process, and no file.
class MemoryEnd {
 public:
  MemoryEnd();
  MemoryEnd(const MemoryEnd&) = delete;
  MemoryEnd& operator=(const MemoryEnd&) = delete;
  ~MemoryEnd() { std::set_new_handler(before_); }

 private:
  std::new_handler before_;
};

}  // namespace lbsp::command_line
