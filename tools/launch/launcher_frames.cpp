// What hosts tell, and what follows from it.
#include <chrono>
#include <exception>
#include <fmt/format.h>

#include "lbsp/job/endings/program_error.hpp"
#include "tools/launch/launcher.hpp"

namespace lbsp::launch {

using job::Frame;
using job::FrameKind;
using ranks::Failures;
using ranks::JobProcess;

namespace {

/// A host says the rest of it, whatever the process does.
bool is_of_process(FrameKind kind) {
  return way_of(kind) == job::Way::of_rank;
}

/// Before its hello a process says no more than how it fails, and before the start no more than that.
bool is_said_before_hello(FrameKind kind) {
  return kind == FrameKind::hello || kind == FrameKind::failure || kind == FrameKind::crashed;
}

}  // namespace

void Launcher::take(std::size_t host, const Frame& frame) {
  life_signs_.heard(host);
  if (frame.kind == FrameKind::host_alive) return;
  JobProcess* process = job_.processes.of(frame.rank);
  if (process == nullptr || process->host != host) return;  // no host has a say in another's ranks
  if (process->exited) return;                              // that was its last
  try {
    if (is_of_process(frame.kind) && !may_say(*process, frame.kind)) job::throw_out_of_turn();
    if (process->is_outside() && !members_.take_from_outside(*process, frame)) return;
    if (!process->takes) return take_valid(*process, frame);
    Frame of_rank = frame;
    of_rank.rank = static_cast<std::uint16_t>(process->rank());
    take_valid(*process, of_rank);
  } catch (const std::exception& error) {
    ending_.fail(Failures::Kind::process, fmt::format("{}: {}", process->name, error.what()));
  }
}

bool Launcher::may_say(const JobProcess& process, FrameKind kind) const {
  if (is_said_before_hello(kind)) return true;
  if (process.takes) return process.greeted;
  const bool greeted = job_.start_up.joined(process.rank());
  return greeted && (starting_.complete() || kind == FrameKind::size);
}

void Launcher::take_valid(JobProcess& process, const Frame& frame) {
  const bool taken = take_from_program(process, frame) || take_of_course(process, frame) ||
                     take_figures(process, frame) || take_of_world(frame) || take_of_end(process, frame);
  if (!taken) job::throw_out_of_turn();
}

bool Launcher::take_from_program(JobProcess& process, const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::error_output:
      process.hear(frame.payload);
      [[fallthrough]];
    case FrameKind::output:
      output_.put(frame);
      return true;
    case FrameKind::input_taken:
      terminal_.input_taken(job::number_in(frame));
      return true;
    default:
      return false;
  }
}

bool Launcher::take_of_course(JobProcess& process, const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::hello:
    case FrameKind::size:
      take_greeting(process, frame);
      return true;
    case FrameKind::begun:
      process.begun = true;
      process.reports = 0;
      return true;
    case FrameKind::progress:
      progress_.take(frame.rank, job::from_payload<job::Progress>(frame.payload),
                     std::chrono::steady_clock::now());
      return true;
    default:
      return false;
  }
}

bool Launcher::take_figures(JobProcess& process, const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::steps:
      take_steps(frame.rank, job::from_payload<job::Steps>(frame.payload));
      return true;
    case FrameKind::packets:
      if (files_.trace(frame.rank, job::from_payload<job::Packets>(frame.payload))) ending_.go_on_listening();
      return true;
    case FrameKind::report:
      ++process.reports;
      take_report(frame.rank, job::from_payload<job::RankReport>(frame.payload));
      return true;
    case FrameKind::interim:
      ++process.accounts;
      take_interim(frame.rank, job::from_payload<job::RankReport>(frame.payload));
      return true;
    case FrameKind::seen:
      window_.take(frame.rank, job::from_payload<job::RankReport>(frame.payload));
      return true;
    default:
      return false;
  }
}

bool Launcher::take_of_world(const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::changed:
      members_.take_changed(job::from_payload<job::Changed>(frame.payload));
      return true;
    case FrameKind::left:
      members_.take_left(job::from_payload<job::LeftWorld>(frame.payload));
      return true;
    case FrameKind::resumed:
      job_.losses().resumed(job::from_payload<job::Resumed>(frame.payload));
      return true;
    case FrameKind::grows:
      members_.joining().allow();
      return true;
    case FrameKind::missed:
      members_.take_missed(frame.rank, job::from_payload<job::Missed>(frame.payload));
      return true;
    default:
      return false;
  }
}

bool Launcher::take_of_end(JobProcess& process, const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::crashed:
      process.crashed = frame.rank;
      return true;
    case FrameKind::failure:
      take_failure(process, frame.rank, job::from_payload<job::Failure>(frame.payload));
      return true;
    case FrameKind::exited:
      take_exit(process, job::from_payload<job::Exited>(frame.payload));
      return true;
    default:
      return false;
  }
}

/// Later there are processes that were not there at the start. One that is slow may still come while the job is ended.
void Launcher::take_greeting(const JobProcess& process, const Frame& frame) {
  if (process.takes || ending_.phase() == course::Phase::running) job::throw_out_of_turn();
  if (frame.kind == FrameKind::hello) {
    job_.start_up.hello(process.spawn.first_rank, job::from_payload<job::Hello>(frame.payload));
  } else if (frame.rank == 0) {
    job_.start_up.set_size(job::number_in(frame));
  } else {
    job::throw_out_of_turn();
  }
  starting_.start_if_complete();
}

void Launcher::take_steps(Rank rank, const job::Steps& steps) {
  if (job_.report.add(rank, steps)) ending_.go_on_listening();
  files_.trace(rank, steps);
}

void Launcher::take_report(Rank rank, const job::RankReport& report) {
  job_.report.add(rank, report);
  progress_.ended(rank);
  window_.ended(rank, report);
  departures_.tell_soon();
  ending_.end_if_all_have_told();
}

void Launcher::take_interim(Rank rank, const job::RankReport& report) {
  job_.report.add_unfinished(rank, report);
  ending_.end_if_all_have_told();
}

void Launcher::take_exit(JobProcess& process, const job::Exited& end) {
  process.ended = true;
  process.exited = true;
  if (starting_.take_early_leave(process, end)) return ending_.close_if_all_ended();
  // A rank that the program does not want leaves as soon as it is told.
  const bool surplus =
      ending_.phase() != course::Phase::starting && !process.takes && process.rank() >= job_.start_up.size();
  if (surplus) process.reports = process.spawn.ranks;
  std::string problem =
      ranks::describe_end(process, end, process.takes || job_.start_up.joined(process.rank()));
  if (!end.problem.empty() && !job_.placement.hosts[process.host].local) {
    problem = fmt::format("host {}: {}", job_.placement.hosts[process.host].name, problem);
  }
  if (!problem.empty() && ending_.may_lose() && (!process.has_reported() || ranks::was_killed(end))) {
    members_.lose(process, problem);
  } else if (!problem.empty()) {
    ending_.fail(Failures::Kind::process, problem);
  }
  members_.joining().refuse_if_none_are_left();
  departures_.tell_soon();
  members_.end_without_the_lost();
  ending_.end_if_only_stopped_are_left();
  ending_.end_if_all_have_told();
  ending_.close_if_all_ended();
}

void Launcher::take_host_gone(std::size_t host, const std::string& problem) {
  members_.lose_spares(host);
  const bool only_spare = job_.options.respawns() && job_.placement.hosts[host].ranks == 0;
  if (only_spare && !job_.processes.any_on(host)) return ending_.finish_if_done();
  if (ending_.may_lose()) {
    members_.lose_host(host, job_.hosts.why_unreachable(host, problem));
    return ending_.finish_if_done();
  }
  job_.processes.end_on(host);
  if (ending_.phase() != course::Phase::closing) {
    ending_.fail(Failures::Kind::process, job_.hosts.why_unreachable(host, problem));
    ending_.close_if_all_ended();
  }
  ending_.finish_if_done();
}

void Launcher::take_failure(JobProcess& process, Rank rank, const job::Failure& failure) {
  process.failed = true;
  if (failure.excluded && ending_.may_lose()) return members_.take_exclusion(process, rank, failure.message);
  const auto kind = failure.consequence ? Failures::Kind::consequence : Failures::Kind::program;
  // What a rank says of itself begins with its own name.
  const std::string& host = job_.placement.hosts[process.host].name;
  const bool of_itself = failure.lost == rank;
  if (failure.lost && job_.processes.has_holder(*failure.lost))
    job_.processes.holder(*failure.lost).missed = true;
  ending_.fail(kind, of_itself ? failure.message : job::endings::failure_of(rank, host, failure.message),
               failure.lost);
}

}  // namespace lbsp::launch
