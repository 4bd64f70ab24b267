#include "tools/launch/launcher.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <exception>
#include <fmt/format.h>
#include <unistd.h>

#include "lbsp/job/endings/program_error.hpp"
#include "tools/command_line/standard_output.hpp"
#include "tools/launch/conclusion.hpp"
#include "tools/launch/course/tell_process.hpp"
#include "tools/launch/doors/front.hpp"
#include "tools/launch/hosts/local_host.hpp"
#include "transport/error.hpp"

namespace lbsp::launch {

using ranks::Failures;
using ranks::JobProcess;

namespace {

using job::Frame;
using job::FrameKind;

/// A host says the rest of it, whatever the process does.
bool is_of_process(FrameKind kind) {
  return way_of(kind) == job::Way::of_rank;
}

/// Before its hello a process says no more than how it fails, and before the start no more than that.
bool is_said_before_hello(FrameKind kind) {
  return kind == FrameKind::hello || kind == FrameKind::failure || kind == FrameKind::crashed;
}

}  // namespace

Launcher::Launcher(const request::RunOptions& options, const places::Placement& placement,
                   const network::KnownNetwork* known)
    : job_(loop_, options, placement, known,
           {[this](std::size_t host, const Frame& frame) { take(host, frame); },
            [this](std::size_t host, const std::string& problem) { take_host_gone(host, problem); }}),
      files_(options),
      output_(loop_, job_, progress_, [this] { output_written(); }),
      terminal_(loop_, job_.hosts, job_.start_up, output_.lines()),
      ending_(loop_, job_, output_.writer(),
              {.on_failure = [this] { starting_.stop_waiting(); },
               .on_end = [this] { leave_off(); },
               .on_close =
                   [this] {
                     output_.clear_progress();
                     starting_.stop_waiting();
                   }}),
      starting_(loop_, job_, ending_, [this] { begin(); }),
      life_signs_(loop_, job_, ending_, [this] { members_.end_without_the_lost(); }),
      members_(loop_, job_, ending_,
               {.say = [this](const std::string& text) { output_.say(text); },
                .on_world =
                    [this](const job::Changed& change) {
                      progress_.go_on_with(change.members);
                      window_.go_on_with(change);
                    },
                .joining = {.on_host = [this] { life_signs_.add_host(); },
                            .on_size =
                                [this](Rank size) {
                                  progress_.set_size(size);
                                  window_.set_size(size);
                                }}}),
      departures_(loop_, job_, ending_),
      window_(loop_, job_.options, job_.placement,
              {.ask = [this] { course::ask_ranks(job_.hosts, job_.processes, FrameKind::look); },
               .say = [this](const std::string& text) { output_.say(text); }}),
      signals_(loop_, job_, ending_, starting_, output_, terminal_) {}

int Launcher::run() {
  if (job_.options.exchange.outlives_ranks) output_.outlive_front();
  signals_.watch();
  if (doors::front_is_gone()) output_.go_on_alone();
  starting_.await();
  const bool own_input = ::isatty(STDIN_FILENO) == 0;
  job_.hosts.start(own_input ? hosts::LocalHost::Input::own : hosts::LocalHost::Input::frames);
  const bool rank_0_is_here = job_.options.backend == job::Backend::mpi || job_.placement.hosts.front().local;
  if (!rank_0_is_here || !own_input) terminal_.read_input();
  output_.progress().await(job_.start_up);
  starting_.begin();
  loop_.run();
  return output_.end(conclude(job_, files_,
                              {.started = starting_.complete(),
                               .interrupted = ending_.interrupted(),
                               .output_problem = output_.problem(),
                               .failures = ending_.failures()},
                              [this](const std::string& report) { output_.write_report(report); }));
}

void Launcher::begin() {
  const Rank size = job_.start_up.size();
  progress_.set_size(size);
  life_signs_.begin();
  output_.progress().start();
  if (job_.options.backend == job::Backend::mpi) return;
  window_.open(size, job_.report.options().backend);
  members_.joining().open();
}

void Launcher::leave_off() {
  starting_.stop_waiting();
  output_.progress().stop();
  window_.close();
  members_.joining().close();
}

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
  switch (frame.kind) {
    case FrameKind::error_output:
      process.hear(frame.payload);
      [[fallthrough]];
    case FrameKind::output:
      return output_.put(frame);
    case FrameKind::hello:
    case FrameKind::size:
      return take_greeting(process, frame);
    case FrameKind::begun:
      process.begun = true;
      process.reports = 0;
      return;
    case FrameKind::progress:
      return progress_.take(frame.rank, job::from_payload<job::Progress>(frame.payload),
                            std::chrono::steady_clock::now());
    case FrameKind::input_taken:
      return terminal_.input_taken(job::number_in(frame));
    case FrameKind::steps:
      return take_steps(frame.rank, job::from_payload<job::Steps>(frame.payload));
    case FrameKind::packets:
      if (files_.trace(frame.rank, job::from_payload<job::Packets>(frame.payload))) ending_.go_on_listening();
      return;
    case FrameKind::report:
      ++process.reports;
      return take_report(frame.rank, job::from_payload<job::RankReport>(frame.payload));
    case FrameKind::interim:
      ++process.accounts;
      return take_interim(frame.rank, job::from_payload<job::RankReport>(frame.payload));
    case FrameKind::seen:
      return window_.take(frame.rank, job::from_payload<job::RankReport>(frame.payload));
    case FrameKind::changed:
      return members_.take_changed(job::from_payload<job::Changed>(frame.payload));
    case FrameKind::left:
      return members_.take_left(job::from_payload<job::LeftWorld>(frame.payload));
    case FrameKind::resumed:
      return job_.losses().resumed(job::from_payload<job::Resumed>(frame.payload));
    case FrameKind::grows:
      return members_.joining().allow();
    case FrameKind::missed:
      return members_.take_missed(frame.rank, job::from_payload<job::Missed>(frame.payload));
    case FrameKind::crashed:
      process.crashed = frame.rank;
      return;
    case FrameKind::failure:
      return take_failure(process, frame.rank, job::from_payload<job::Failure>(frame.payload));
    case FrameKind::exited:
      return take_exit(process, job::from_payload<job::Exited>(frame.payload));
    default:
      job::throw_out_of_turn();
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

void Launcher::output_written() {
  if (const int problem = output_.problem(); problem != 0 && ending_.phase() < course::Phase::ending) {
    if (problem == EPIPE) {
      ending_.interrupt(SIGPIPE);
    } else {
      ending_.fail(Failures::Kind::process, command_line::describe_output_problem(problem));
    }
  }
  ending_.finish_if_done();
}

}  // namespace lbsp::launch
