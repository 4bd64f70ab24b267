#include "tools/launch/processes/reached_limit.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fmt/format.h>
#include <sys/resource.h>

#include "transport/quantity.hpp"

namespace lbsp::launch::processes {
namespace {

/// Below it a program may overflow its stack without a fault of its own: the usual limit is eight times as large.
constexpr std::uint64_t small_stack = std::uint64_t{1} << 20;
/// The system counts the ticks in which a process runs, 100 in a second or more. Of a processor that it shares, also
/// with other virtual machines, it gets each by chance, …
constexpr double longest_tick = 0.01;
/// … so it may have used less: by so many standard deviations.
constexpr double certainty = 4;

std::optional<rlim_t> limit(decltype(RLIMIT_CPU) resource, rlim_t rlimit::*which) {
  rlimit found{};
  if (::getrlimit(resource, &found) != 0 || found.*which == RLIM_INFINITY) return {};
  return found.*which;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// Of a processor, when the system says that it was so much.
double least_used(double counted) {
  return counted - certainty * std::sqrt(counted * longest_tick);
}

double used_by_children() {
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

}  // namespace

ProcessLimits own_limits() {
  return {.signalled_seconds = limit(RLIMIT_CPU, &rlimit::rlim_cur),
          .killed_seconds = limit(RLIMIT_CPU, &rlimit::rlim_max),
          .stack_bytes = limit(RLIMIT_STACK, &rlimit::rlim_cur),
          .file_bytes = limit(RLIMIT_FSIZE, &rlimit::rlim_cur)};
}

std::string reached_limit(int signal, double seconds, const ProcessLimits& limits) {
  const auto& allowed = signal == SIGXCPU ? limits.signalled_seconds : limits.killed_seconds;
  const bool killed = signal == SIGKILL && allowed && seconds >= least_used(static_cast<double>(*allowed));
  if (signal == SIGXCPU || killed)
    return fmt::format(
        "it has used up the {}processor time that a process may have there: raise the limit (ulimit -t)",
        allowed ? fmt::format("{} s of ", *allowed) : std::string());
  if (signal == SIGXFSZ) {
    return fmt::format("it has written a file as long as one may be there{}: raise the limit (ulimit -f)",
                       limits.file_bytes ? ", " + transport::format_size(*limits.file_bytes) : std::string());
  }
  if ((signal == SIGSEGV || signal == SIGBUS) && limits.stack_bytes && *limits.stack_bytes < small_stack)
    return fmt::format(
        "its stack may have no more than {} there: raise that limit (ulimit -s), or, if it crashes all the same, run it "
        "under a debugger",
        transport::format_size(*limits.stack_bytes));
  return {};
}

std::string limit_reached_by_child(int signal) {
  static double told = 0;  // as the system's count, one for the whole process
  const ProcessLimits limits = own_limits();
  const double before = told;
  told = used_by_children();
  const double used = told - before;
  std::string reached = reached_limit(signal, used, limits);
  // Of several that end at once, each has what it may have.
  if (!reached.empty() && signal == SIGKILL)
    told = before + std::min(used, static_cast<double>(*limits.killed_seconds));
  return reached;
}

}  // namespace lbsp::launch::processes
