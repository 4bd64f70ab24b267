#include "tools/command_line/own_path.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <system_error>

#include "transport/error.hpp"

namespace lbsp::command_line {

std::string own_path() {
  std::error_code problem;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (problem) throw SystemError(fmt::format("/proc/self/exe: {}: mount /proc", problem.message()));
  return path;
}

}  // namespace lbsp::command_line
