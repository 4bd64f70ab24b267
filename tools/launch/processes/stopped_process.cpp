#include "tools/launch/processes/stopped_process.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace lbsp::launch::processes {
namespace {

/// The state's letter of proc(5), or a space for a process that is not there.
char state_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text;
  // Of a process that ends meanwhile nothing can be read, for which the buffer itself would throw.
  std::getline(file, text, '\0');
  // The name before it, in parentheses, may contain anything.
  const auto end_of_name = text.rfind(") ");
  return end_of_name == std::string::npos ? ' ' : text[end_of_name + 2];
}

std::vector<pid_t> children_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", process));
  return {std::istream_iterator<pid_t>(file), {}};
}

}  // namespace

bool is_stopped(pid_t process) {
  if (state_of(process) == 'T') return true;
  const auto children = children_of(process);
  return !children.empty() && std::ranges::all_of(children, is_stopped);
}

}  // namespace lbsp::launch::processes
