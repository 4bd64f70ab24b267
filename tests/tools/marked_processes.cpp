#include "tests/tools/marked_processes.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <system_error>

namespace lbsp::test {

std::vector<int> processes_marked(const std::string& mark) {
  std::vector<int> found;
  std::error_code ignored;
  const std::string entry = fmt::format("{}={}", mark_variable, mark) + '\0';
  for (const auto& process : std::filesystem::directory_iterator("/proc", ignored)) {
    std::ifstream in(process.path() / "environ");
    const std::string environment(std::istreambuf_iterator<char>(in), {});
    if (environment.find(entry) != std::string::npos)
      found.push_back(std::stoi(process.path().filename().string()));
  }
  return found;
}

}  // namespace lbsp::test
