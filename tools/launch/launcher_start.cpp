// How a job begins: hosts, processes, and the word to start when all are there.
#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

#include "tools/launch/course/tell_process.hpp"
#include "tools/launch/launcher.hpp"
#include "transport/quantity.hpp"

namespace lbsp::launch {

using job::FrameKind;
using ranks::JobProcess;

void Launcher::start_processes() {
  if (job_.options.backend == job::Backend::mpi) job_.processes.begin()->name = "mpirun";
  progress_line_.await(job_.start_up);
  starts_.begin();
}

/// Returns whether there are more.
bool Launcher::start_next_process() {
  const auto next = job_.processes.begin() + processes_begun_;
  if (next == job_.processes.end()) return false;
  if (phase_ != Phase::starting) {  // an earlier one could not be started, or the user has ended it
    std::for_each(next, job_.processes.end(), [](JobProcess& process) { process.ended = true; });
    close_if_all_ended();
    return false;
  }
  ++processes_begun_;
  const bool progress = ::isatty(STDERR_FILENO) != 0;
  course::begin_process(job_.hosts, *next, job_.start_up.welcome(next->spawn, progress));
  return true;
}

void Launcher::start_if_complete() {
  if (phase_ != Phase::starting) return;
  if (job_.start_up.everyone_joined()) start_timer_.stop();
  if (!job_.start_up.complete()) return;
  if (std::ranges::any_of(job_.processes,
                          [&](const JobProcess& process) { return refuse_early_leave(process); }))
    return;
  job_.report.set_size(job_.start_up.size());
  if (job_.start_up.share_memory()) job_.report.set_shared_memory(job_.start_up.within_one_host());
  progress_.set_size(job_.start_up.size());
  phase_ = Phase::running;
  watch_hosts();
  started_ = true;
  job_.losses().begin(job_.start_up.size());
  progress_line_.start();
  if (job_.options.backend != job::Backend::mpi) {
    window_.open(job_.start_up.size(), job_.report.options().backend);
    joining_.begin(job_.start_up.size());
    door_.open();
  }
  const std::string payload = to_payload(job_.start_up.start());
  for (const JobProcess& process : job_.processes)
    if (!process.ended) course::tell(job_.hosts, process, FrameKind::start, payload);
}

void Launcher::await_start() {
  start_timer_.start(std::chrono::ceil<std::chrono::milliseconds>(job_.options.start_timeout),
                     [this] { start_timed_out(); });
}

void Launcher::start_timed_out() {
  const auto missing = std::ranges::find_if(job_.processes, [&](const JobProcess& process) {
    return !job_.start_up.joined(process.spawn.first_rank);
  });
  if (missing == job_.processes.end()) return;
  fail(ranks::Failures::Kind::process, why_never_started(*missing));
}

std::string Launcher::why_never_started(const JobProcess& process) const {
  const std::string patience = transport::format_duration(job_.options.start_timeout);
  if (const auto last_words = job_.hosts.unanswered(process.host)) {
    return fmt::format(
        "{} never started: its host did not answer within {}{}: check the way to it, or give "
        "--start-timeout more",
        process.name, patience, last_words->empty() ? "" : fmt::format(" ({})", *last_words));
  }
  return fmt::format(
      "{} never started: {} did not call lbsp::run within {}: is it an lbsp program? If it needs longer, "
      "give --start-timeout more",
      process.name, job_.options.program, patience);
}

}  // namespace lbsp::launch
