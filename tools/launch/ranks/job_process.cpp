#include "tools/launch/ranks/job_process.hpp"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <iterator>

#include "tools/command_line/signal_name.hpp"

namespace lbsp::launch::ranks {

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

/// Of a process whose threads are ranks only one of these may be to blame, which it says if it can.
std::string name_of_who_ended(const JobProcess& process) {
  const Rank first = process.spawn.first_rank;
  const std::string of_first = fmt::format("rank {}", first);
  // mpirun has its own.
  if (process.spawn.ranks == 1 || !process.name.starts_with(of_first)) return process.name;
  const std::string where = process.name.substr(of_first.size());
  if (process.crashed) return fmt::format("rank {}{}", *process.crashed, where);
  return fmt::format("the process of ranks {} to {}{}", first, first + process.spawn.ranks - 1, where);
}

}  // namespace

void JobProcess::hear(std::string_view bytes) {
  if (bytes.find("OpenBLAS blas_thread_init") != std::string_view::npos) blas_without_threads = true;
}

std::string describe_end(const JobProcess& process, const job::Exited& end, bool joined) {
  if (!end.problem.empty()) return end.problem;
  const std::string name = name_of_who_ended(process);
  if (end.signal == SIGINT && process.blas_without_threads)
    return fmt::format(
        "{} was ended by its OpenBLAS, which could not start its threads: raise the limits of memory and of processes "
        "(ulimit -v, ulimit -u), or set OPENBLAS_NUM_THREADS=1",
        name);
  if (process.failed && (end.signal == 0 || end.signal == SIGABRT)) return {};
  if (end.signal != 0) {
    return fmt::format("{} was killed by {}: {}", name, command_line::signal_name(end.signal),
                       end.limit.empty() ? advice_on(end.signal) : end.limit);
  }
  if (end.code != 0) {
    return fmt::format("{} ended with exit code {}: see its output above", name, end.code);
  }
  if (!joined) {
    return fmt::format(
        "{} ended without joining the job: {} is not an lbsp program, or did not call lbsp::run or bsp_begin",
        name, process.spawn.program);
  }
  if (process.begun && !process.has_reported()) {
    return fmt::format(
        "{} ended in the midst of an SPMD part, with exit code 0: call bsp_end first, on every process",
        name);
  }
  if (!process.has_reported()) {
    return fmt::format(
        "{} ended in the midst of the job, with exit code 0: let the program return to lbsp::run", name);
  }
  return {};
}

}  // namespace lbsp::launch::ranks
