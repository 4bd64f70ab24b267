#include "tools/programs/group_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

namespace lbsp::programs {
namespace {

namespace fs = std::filesystem;

/// What a version of control groups calls it.
struct GroupFiles {
  const char* limit;
  const char* used;
  const char* files_unused;  ///< a key in memory.stat
};
constexpr GroupFiles first_version{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr GroupFiles second_version{"memory.max", "memory.current", "inactive_file"};

/// None: there is no such file, or it has no number, as that of a group without a limit.
std::optional<double> number_in_file(const fs::path& path) {
  std::ifstream file(path);
  double number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

double number_of_key(const fs::path& path, const std::string& wanted) {
  std::ifstream file(path);
  std::string key;
  for (double number = 0; file >> key >> number;)
    if (key == wanted) return number;
  return 0;
}

double left_in(const fs::path& group, const GroupFiles& names) {
  const auto limit = number_in_file(group / names.limit);
  const auto used = number_in_file(group / names.used);
  if (!limit || !used) return std::numeric_limits<double>::infinity();
  const double in_use = std::max(0.0, *used - number_of_key(group / "memory.stat", names.files_unused));
  return std::max(0.0, *limit - in_use);
}

/// A group's limits are those of all that are above it, too. In a container those that it is shown under have other
/// names.
double left_up_to(const fs::path& top, fs::path group, const GroupFiles& names) {
  double left = left_in(top, names);
  for (; group.has_relative_path(); group = group.parent_path())
    left = std::min(left, left_in(top / group.relative_path(), names));
  return left;
}

}  // namespace

double memory_left_by_groups(const std::string& groups, const fs::path& mounted) {
  double left = std::numeric_limits<double>::infinity();
  std::istringstream lines(groups);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream parts(line);
    std::string number, controllers, group;
    std::getline(parts, number, ':');
    std::getline(parts, controllers, ':');
    std::getline(parts, group);
    if (controllers.empty()) left = std::min(left, left_up_to(mounted, group, second_version));
    if (controllers == "memory") left = std::min(left, left_up_to(mounted / "memory", group, first_version));
  }
  return left;
}

}  // namespace lbsp::programs
