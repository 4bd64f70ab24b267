#include "tools/launch/job_process.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <iterator>

namespace lbsp::launch {

std::string signal_name(int number) {
  const char* name = ::sigabbrev_np(number);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

bool was_killed(const job::Exited& end) {
  constexpr int of_others[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP};
  return std::ranges::find(of_others, end.signal) != std::end(of_others);
}

namespace {

/// What to do about it. A crash prints nothing by itself.
const char* advice_on(int signal) {
  switch (signal) {
    case SIGKILL:
      return "somebody did kill -9, or memory ran out there (see dmesg)";
    case SIGTERM:
    case SIGINT:
    case SIGHUP:
      return "see who ended it there";
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
      return "build it with -g -fsanitize=address,undefined to see where it crashes, or run it under a debugger";
    case SIGILL:
      return "build it for that host's processor, without -march=native, or run it under a debugger";
    case SIGABRT:
      return "see its output above, or run it under a debugger";
    default:
      return "see its output above, or what sends it this signal";
  }
}

}  // namespace

std::string describe_end(const JobProcess& process, const job::Exited& end, bool joined) {
  if (!end.problem.empty()) return end.problem;
  if (end.signal != 0) {
    return fmt::format("{} was killed by {}: {}", process.name, signal_name(end.signal),
                       advice_on(end.signal));
  }
  if (process.failed) return {};
  if (end.code != 0) {
    return fmt::format("{} ended with exit code {}: see its output above", process.name, end.code);
  }
  if (!joined) {
    return fmt::format(
        "{} ended without joining the job: {} is not an lbsp program, or did not call lbsp::run or bsp_begin",
        process.name, process.spawn.program);
  }
  if (process.begun && !process.has_reported()) {
    return fmt::format(
        "{} ended in the midst of an SPMD part, with exit code 0: call bsp_end first, on every process",
        process.name);
  }
  if (!process.has_reported()) {
    return fmt::format(
        "{} ended in the midst of the job, with exit code 0: let the program return to lbsp::run",
        process.name);
  }
  return {};
}

}  // namespace lbsp::launch
