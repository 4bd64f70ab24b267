#include "tools/launch/processes/program_lookup.hpp"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "tools/command_line/own_path.hpp"
#include "transport/error.hpp"

namespace lbsp::launch::processes {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view ready_programs[] = {"matmul", "bitonic_sort", "fft2d", "jacobi", "dataflow"};

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

fs::path own_directory() {
  return fs::path(command_line::own_path()).parent_path();
}

std::string ready_list() {
  std::vector<std::string_view> built;
  for (const auto name : ready_programs) {
    if (is_program(own_directory() / name)) built.push_back(name);
  }
  if (built.empty()) return "no ready program is built";
  return fmt::format("the ready programs are {}", fmt::join(built, ", "));
}

[[noreturn]] void refuse(const std::string& name, const fs::path& path) {
  std::error_code ignored;
  const char* reason = !fs::exists(path, ignored)        ? "there is no such file"
                       : fs::is_directory(path, ignored) ? "it is a directory"
                                                         : "it is not executable (chmod +x)";
  throw UsageError(fmt::format("cannot run {}: {}: give a program's path, or a ready one: {}", name, reason,
                               ready_list()));
}

}  // namespace

std::string find_program(const std::string& name, const std::string& directory) {
  if (name.find('/') != std::string::npos) {
    const fs::path path = fs::path(directory) / name;
    if (!is_program(path)) refuse(name, path);
    return path;
  }
  for (const auto ready : ready_programs) {
    if (name == ready && is_program(own_directory() / name)) return own_directory() / name;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && is_program(fs::path(folder) / name)) return fs::path(folder) / name;
  }
  throw UsageError(
      fmt::format("no program {0}: {1}; of your own give the path, such as ./{0}", name, ready_list()));
}

}  // namespace lbsp::launch::processes
