// How a job begins: hosts, processes, and the word to start when all are there.
#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

#include "tools/launch/launcher.hpp"
#include "transport/quantity.hpp"

namespace lbsp::launch {

using job::FrameKind;
using ranks::JobProcess;

void Launcher::start_processes() {
  if (options_.backend == job::Backend::mpi) processes_.begin()->name = "mpirun";
  progress_line_.await(start_up_);
  starts_.begin();
}

/// Returns whether there are more.
bool Launcher::start_next_process() {
  const auto next = processes_.begin() + processes_begun_;
  if (next == processes_.end()) return false;
  if (phase_ != Phase::starting) {  // an earlier one could not be started, or the user has ended it
    std::for_each(next, processes_.end(), [](JobProcess& process) { process.ended = true; });
    close_if_all_ended();
    return false;
  }
  ++processes_begun_;
  const bool progress = ::isatty(STDERR_FILENO) != 0;
  const auto rank = static_cast<std::uint16_t>(next->spawn.first_rank);
  hosts_.send(next->host, {FrameKind::spawn, rank, to_payload(next->spawn)});
  hosts_.send(next->host, {FrameKind::welcome, rank, to_payload(start_up_.welcome(next->spawn, progress))});
  return true;
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
  fail(ranks::Failures::Kind::process, why_never_started(*missing));
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
