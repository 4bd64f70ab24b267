// How a job begins: hosts, processes, and the word to start when all are there.
#include <fmt/format.h>
#include <unistd.h>

#include "tools/launch/launcher.hpp"
#include "transport/quantity.hpp"

namespace lbsp::launch {

using job::FrameKind;

void Launcher::start_processes() {
  const bool progress = ::isatty(STDERR_FILENO) != 0;
  if (options_.backend == job::Backend::mpi) processes_.begin()->name = "mpirun";
  for (JobProcess& process : processes_) {
    if (phase_ != Phase::starting) {  // an earlier one could not be started
      process.ended = true;
      continue;
    }
    const auto rank = static_cast<std::uint16_t>(process.spawn.first_rank);
    hosts_.send(process.host, {FrameKind::spawn, rank, to_payload(process.spawn)});
    hosts_.send(process.host,
                {FrameKind::welcome, rank, to_payload(start_up_.welcome(process.spawn, progress))});
  }
  if (phase_ != Phase::starting) close_if_all_ended();
}

void Launcher::start_if_complete() {
  if (phase_ != Phase::starting) return;
  if (start_up_.everyone_joined()) start_timer_.stop();
  if (!start_up_.complete()) return;
  if (std::ranges::any_of(processes_, [&](const JobProcess& process) { return refuse_early_leave(process); }))
    return;
  report_.set_size(start_up_.size());
  if (start_up_.share_memory()) report_.set_shared_memory(start_up_.within_one_host());
  progress_.set_size(start_up_.size());
  phase_ = Phase::running;
  watch_hosts();
  started_ = true;
  report_.losses().begin(start_up_.size());
  progress_line_.start();
  if (options_.backend != job::Backend::mpi) {
    window_.open(start_up_.size(), report_.options().backend);
    joining_.begin(start_up_.size());
    door_.open();
  }
  const std::string payload = to_payload(start_up_.start());
  for (const JobProcess& process : processes_) {
    if (process.ended) continue;
    hosts_.send(process.host,
                {FrameKind::start, static_cast<std::uint16_t>(process.spawn.first_rank), payload});
  }
}

void Launcher::await_start() {
  start_timer_.start(std::chrono::ceil<std::chrono::milliseconds>(options_.start_timeout),
                     [this] { start_timed_out(); });
}

void Launcher::start_timed_out() {
  const auto missing = std::ranges::find_if(
      processes_, [&](const JobProcess& process) { return !start_up_.joined(process.spawn.first_rank); });
  if (missing == processes_.end()) return;
  fail(Failures::Kind::process, why_never_started(*missing));
}

std::string Launcher::why_never_started(const JobProcess& process) const {
  const std::string patience = transport::format_duration(options_.start_timeout);
  if (const auto last_words = hosts_.unanswered(process.host)) {
    return fmt::format(
        "{} never started: its host did not answer within {}{}: check the way to it, or give "
        "--start-timeout more",
        process.name, patience, last_words->empty() ? "" : fmt::format(" ({})", *last_words));
  }
  return fmt::format(
      "{} never started: {} did not call lbsp::run within {}: is it an lbsp program? If it needs longer, "
      "give --start-timeout more",
      process.name, options_.program, patience);
}

}  // namespace lbsp::launch
