#include "tools/programs/memory.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include "lbsp/job/joining/ranks_on_host.hpp"
#include "tools/programs/group_memory.hpp"
#include "transport/error.hpp"

namespace lbsp::programs {
namespace {

/// MemAvailable of proc(5): what can be had without swapping. Infinite where the system does not tell.
double available_on_machine() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  double kibibytes = 0;
  while (file >> key >> kibibytes) {
    if (key == "MemAvailable:") return kibibytes * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::numeric_limits<double>::infinity();
}

double available_bytes() {
  std::ifstream file("/proc/self/cgroup");
  const std::string groups{std::istreambuf_iterator<char>(file), {}};
  return std::min(available_on_machine(), memory_left_by_groups(groups, "/sys/fs/cgroup"));
}

/// Infinite where nobody has noted it.
double free_at_beginning = std::numeric_limits<double>::infinity();

void require_of(double available, double bytes, std::string_view what) {
  constexpr double gibibyte = 1 << 30;
  if (bytes <= available) return;
  throw SystemError(
      fmt::format("{} would take {:.3g} GiB of memory, {:.3g} are free: use more ranks on more "
                  "machines, or a smaller problem",
                  what, bytes / gibibyte, available / gibibyte));
}

}  // namespace

void require_memory(double bytes, std::string_view what) {
  require_of(available_bytes(), bytes, what);
}

void note_free_memory() {
  free_at_beginning = available_bytes();
}

void require_memory_of_part(double values, double bytes, const World& world, std::string_view what) {
  const double part = values * bytes / world.size();
  require_memory(part, fmt::format("one rank's part of {}", what));
  // Of a rank that has come later the others have theirs already.
  const int ranks = std::min(job::joining::ranks_on_host(), static_cast<int>(world.size()));
  if (ranks > 1 && !world.change())
    require_of(free_at_beginning, ranks * part,
               fmt::format("what {} ranks on one host have of {}", ranks, what));
}

}  // namespace lbsp::programs
