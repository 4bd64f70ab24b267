#include "tools/launch/course/starting.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <string>
#include <unistd.h>
#include <utility>

#include "tools/launch/course/never_started.hpp"
#include "tools/launch/course/tell_process.hpp"

namespace lbsp::launch::course {

using ranks::Failures;
using ranks::JobProcess;

Starting::Starting(uv::Loop& loop, Job& job, Ending& ending, std::function<void()> on_complete)
    : job_(job),
      ending_(ending),
      on_complete_(std::move(on_complete)),
      slices_(loop, [this] { return begin_next(); }),
      timer_(loop) {}

void Starting::begin() {
  if (job_.options.backend == job::Backend::mpi) job_.processes.begin()->name = "mpirun";
  slices_.begin();
}

/// Returns whether there are more.
bool Starting::begin_next() {
  const auto next = job_.processes.begin() + begun_;
  if (next == job_.processes.end()) return false;
  if (ending_.phase() != Phase::starting) {  // an earlier one could not be started, or the user has ended it
    std::for_each(next, job_.processes.end(), [](JobProcess& process) { process.ended = true; });
    ending_.close_if_all_ended();
    return false;
  }
  ++begun_;
  const bool progress = ::isatty(STDERR_FILENO) != 0;
  begin_process(job_.hosts, *next, job_.start_up.welcome(next->spawn, progress));
  return true;
}

void Starting::start_if_complete() {
  if (ending_.phase() != Phase::starting) return;
  if (job_.start_up.everyone_joined()) timer_.stop();
  if (!job_.start_up.complete()) return;
  if (std::ranges::any_of(job_.processes,
                          [&](const JobProcess& process) { return refuse_early_leave(process); }))
    return;
  job_.report.set_size(job_.start_up.size());
  if (job_.start_up.share_memory()) job_.report.set_shared_memory(job_.start_up.within_one_host());
  ending_.begin();
  complete_ = true;
  job_.losses().begin(job_.start_up.size());
  on_complete_();
  const std::string payload = to_payload(job_.start_up.start());
  for (const JobProcess& process : job_.processes)
    if (!process.ended) tell(job_.hosts, process, job::FrameKind::start, payload);
}

void Starting::await() {
  timer_.start(std::chrono::ceil<std::chrono::milliseconds>(job_.options.start_timeout),
               [this] { timed_out(); });
}

void Starting::timed_out() {
  const auto missing = std::ranges::find_if(job_.processes, [&](const JobProcess& process) {
    return !job_.start_up.joined(process.spawn.first_rank);
  });
  if (missing == job_.processes.end()) return;
  ending_.fail(Failures::Kind::process, why_never_started(job_, *missing));
}

/// A program of bsp.h may end in order before bsp_begin, for example after a word on how to use it. When rank
/// 0 has ended so, the ranks that wait in bsp_begin are let go. A rank that rank 0 wants must not end so.
bool Starting::take_early_leave(JobProcess& process, const job::Exited& end) {
  const Rank rank = process.rank();
  const bool in_order = end.code == 0 && end.signal == 0 && end.problem.empty();
  if (!in_order || process.takes || process.failed || process.begun || process.has_reported() ||
      !job_.start_up.may_leave(rank))
    return false;
  process.left_early = true;
  if (ending_.phase() == Phase::starting) {
    if (rank == 0) job_.start_up.want_nobody();
    start_if_complete();
    return true;
  }
  return ending_.phase() == Phase::running && refuse_early_leave(process);
}

bool Starting::refuse_early_leave(const JobProcess& process) {
  if (!process.left_early || process.rank() >= job_.start_up.size()) return false;
  ending_.fail(
      Failures::Kind::process,
      fmt::format(
          "{} ended without bsp_begin, which rank 0 called for {} ranks: call it, and bsp_end, on every "
          "process",
          process.name, job_.start_up.size()));
  return true;
}

}  // namespace lbsp::launch::course
