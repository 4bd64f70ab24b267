#include "tools/command_line/gnuplot.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "transport/error.hpp"

namespace lbsp::command_line {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

File temporary() {
  File file(std::tmpfile());
  if (!file)
    throw SystemError(
        fmt::format("no temporary file: {}: see that there is room in /tmp", std::strerror(errno)));
  return file;
}

std::string read_all(std::FILE* file) {
  std::string content;
  char buffer[65536];
  std::rewind(file);
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, file))
    content.append(buffer, got);
  return content;
}

/// Runs gnuplot from `input` to `output`; its exit status, or an error code of posix_spawnp. It warns of what is no
/// fault, such as a curve that is 0 everywhere, so what it says goes to `messages`.
std::pair<int, int> spawn_gnuplot(std::FILE* input, std::FILE* output, std::FILE* messages) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, fileno(input), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, fileno(output), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, fileno(messages), STDERR_FILENO);
  char name[] = "gnuplot";
  char* const arguments[] = {name, nullptr};
  pid_t child = 0;
  const int problem = posix_spawnp(&child, name, &files, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&files);
  if (problem != 0) return {problem, 0};
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return {0, status};
}

}  // namespace

std::string draw_svg(const std::string& script) {
  const File input = temporary();
  const File output = temporary();
  const File messages = temporary();
  std::fwrite(script.data(), 1, script.size(), input.get());
  std::fflush(input.get());
  std::rewind(input.get());
  const auto [problem, status] = spawn_gnuplot(input.get(), output.get(), messages.get());
  if (problem != 0)
    throw UsageError("no gnuplot to draw with: install it (apt-get install gnuplot-nox), or leave --svg out");
  std::string svg = read_all(output.get());
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || svg.find("</svg>") == std::string::npos) {
    std::fputs(read_all(messages.get()).c_str(), stderr);
    throw SystemError("gnuplot drew nothing: see its messages above");
  }
  return svg;
}

}  // namespace lbsp::command_line
