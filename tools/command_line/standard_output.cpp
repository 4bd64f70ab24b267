#include "tools/command_line/standard_output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>

namespace lbsp::command_line {
namespace {

/// Whoever catches it tells it, and the process's end does not once more.
[[noreturn]] void throw_output_problem(int error) {
  std::clearerr(stdout);
  if (error == EPIPE) throw ReaderLeft(describe_output_problem(error));
  throw SystemError(describe_output_problem(error));
}

}  // namespace

void write_output(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) throw_output_problem(errno);
  flush_output();
}

void flush_output() {
  if (std::fflush(stdout) != 0) throw_output_problem(errno);
  if (std::ferror(stdout) != 0) throw_output_problem(0);
}

std::optional<std::string> output_problem() {
  if (std::ferror(stdout) == 0) return std::nullopt;
  return describe_output_problem(0);
}

std::string describe_output_problem(int error) {
  return fmt::format("standard output cannot be written{}{}: make room for it, or send it elsewhere",
                     error != 0 ? ": " : "", error != 0 ? std::strerror(error) : "");
}

}  // namespace lbsp::command_line
