#include "tools/programs/memory.hpp"

#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <string>

#include "transport/error.hpp"

namespace lbsp::programs {
namespace {

/// MemAvailable of proc(5): what can be had without swapping. Infinite where the system does not tell.
double available_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  double kibibytes = 0;
  while (file >> key >> kibibytes) {
    if (key == "MemAvailable:") return kibibytes * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

void require_memory(double bytes, std::string_view what) {
  constexpr double gibibyte = 1 << 30;
  const double available = available_bytes();
  if (bytes <= available) return;
  throw SystemError(
      fmt::format("{} would take {:.3g} GiB of memory, {:.3g} are free: use more ranks on more "
                  "machines, or a smaller problem",
                  what, bytes / gibibyte, available / gibibyte));
}

void require_memory_of_part(double values, double bytes, Rank ranks, std::string_view what) {
  require_memory(values * bytes / ranks, fmt::format("one rank's part of {}", what));
}

}  // namespace lbsp::programs
