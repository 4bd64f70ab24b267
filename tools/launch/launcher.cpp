#include "tools/launch/launcher.hpp"

#include <csignal>
#include <exception>
#include <fmt/format.h>
#include <unistd.h>

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
using std::chrono::milliseconds;

terminal::JobOutput::Options output_options(const request::RunOptions& options,
                                            const places::Placement& placement) {
  return {.tags = options.tag_output && options.backend != job::Backend::mpi,  // mpirun knows the ranks
          .threads = options.backend == job::Backend::threads ? placement.size : 1,
          .output_to_error = options.json_to_output(),
          .terminal = ::isatty(STDERR_FILENO) != 0,
          .output_terminal = ::isatty(STDOUT_FILENO) != 0};
}

/// For the hosts to be told, before this process stops.
constexpr milliseconds before_pause{50};

bool is_ignored(int signal) {
  struct sigaction action {};
  ::sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

}  // namespace

Launcher::Launcher(const request::RunOptions& options, const places::Placement& placement,
                   const network::KnownNetwork* known)
    : job_(loop_, options, placement, known,
           {[this](std::size_t host, const Frame& frame) { take(host, frame); },
            [this](std::size_t host, const std::string& problem) { take_host_gone(host, problem); }}),
      files_(options),
      writer_(loop_, [this] { output_written(); }),
      output_(writer_, output_options(options, placement)),
      spare_slots_(placement),
      loss_judge_(job_.options, job_.report.placement(), job_.losses(),
                  [this](const std::string& text) { output_.say(text); }),
      newcomers_(loop_, options.exchange.peer_timeout,
                 {.is_late = [this](Rank rank) { say_who_is_awaited(rank); },
                  .in_vain = [this](Rank rank) { give_up_newcomer(rank); }}),
      flow_(output_, writer_, job_.hosts),
      terminal_(loop_, job_.hosts, job_.start_up, output_),
      progress_line_(loop_, progress_, output_),
      window_(loop_, job_.options, job_.placement,
              [this] { course::ask_ranks(job_.hosts, job_.processes, FrameKind::look); }),
      door_(loop_, [this](const std::string& host,
                          const doors::JobDoor::Answer& answer) { return join(host, answer); }),
      joining_(loop_),
      starts_(loop_, [this] { return start_next_process(); }),
      start_timer_(loop_),
      pause_timer_(loop_),
      watch_timer_(loop_),
      missed_timer_(loop_),
      departure_timer_(loop_),
      end_timer_(loop_),
      hang_up_timer_(loop_),
      watch_(placement.hosts.size(), options.exchange.peer_timeout) {}

int Launcher::run() {
  if (job_.options.exchange.outlives_ranks) kept_.emplace(doors::job_number());
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (signal == SIGHUP && is_ignored(signal)) continue;  // nohup
    signals_.push_back(std::make_unique<uv::SignalWatch>(
        loop_, signal, [this, signal] { signal == SIGHUP ? hang_up() : interrupt(signal); }));
  }
  if (!is_ignored(SIGTSTP))
    signals_.push_back(std::make_unique<uv::SignalWatch>(loop_, SIGTSTP, [this] { pause(); }));
  signals_.push_back(std::make_unique<uv::SignalWatch>(loop_, SIGWINCH, [this] { terminal_.tell_window(); }));
  signals_.push_back(
      std::make_unique<uv::SignalWatch>(loop_, doors::front_has_died, [this] { go_on_alone(); }));
  if (doors::front_is_gone()) go_on_alone();
  await_start();
  const bool own_input = ::isatty(STDIN_FILENO) == 0;
  job_.hosts.start(own_input ? hosts::LocalHost::Input::own : hosts::LocalHost::Input::frames);
  const bool rank_0_is_here = job_.options.backend == job::Backend::mpi || job_.placement.hosts.front().local;
  if (!rank_0_is_here || !own_input) terminal_.read_input();
  start_processes();
  loop_.run();
  int code = conclude();
  if (!is_alone()) return code;
  // As where the disk of a job with its lbsp run is full.
  if (code == 0 && !kept_->loss().empty()) code = 1;
  kept_->end(code, last_line_);
  return code;
}

void Launcher::take(std::size_t host, const Frame& frame) {
  watch_.heard(host);
  if (frame.kind == FrameKind::host_alive) return;
  JobProcess* process = job_.processes.of(frame.rank);
  if (process == nullptr || process->host != host) return;  // no host has a say in another's ranks
  try {
    if (process->is_outside() && !take_from_outside(*process, frame)) return;
    if (!process->takes) return take_valid(*process, frame);
    Frame of_rank = frame;
    of_rank.rank = static_cast<std::uint16_t>(process->rank());
    take_valid(*process, of_rank);
  } catch (const std::exception& error) {
    fail(Failures::Kind::process, fmt::format("{}: {}", process->name, error.what()));
  }
}

void Launcher::take_valid(JobProcess& process, const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::error_output:
      process.hear(frame.payload);
      [[fallthrough]];
    case FrameKind::output:
      return put_output(frame);
    case FrameKind::hello:
      job_.start_up.hello(process.spawn.first_rank, job::from_payload<job::Hello>(frame.payload));
      return start_if_complete();
    case FrameKind::size:
      job_.start_up.set_size(job::number_in(frame));
      return start_if_complete();
    case FrameKind::begun:
      process.begun = true;
      process.reports = 0;
      return;
    case FrameKind::progress:
      return progress_.take(frame.rank, job::from_payload<job::Progress>(frame.payload),
                            std::chrono::steady_clock::now());
    case FrameKind::input_taken:
      return terminal_.input_taken(job::number_in(frame));
    case FrameKind::steps: {
      const auto steps = job::from_payload<job::Steps>(frame.payload);
      job_.report.add(frame.rank, steps);
      files_.trace(frame.rank, steps);
      return go_on_listening();
    }
    case FrameKind::packets:
      files_.trace(frame.rank, job::from_payload<job::Packets>(frame.payload));
      return go_on_listening();
    case FrameKind::report: {
      ++process.reports;
      const auto report = job::from_payload<job::RankReport>(frame.payload);
      job_.report.add(frame.rank, report);
      progress_.ended(frame.rank);
      window_.ended(frame.rank, report);
      tell_of_departures_soon();
      return end_if_all_have_told();
    }
    case FrameKind::interim: {
      ++process.accounts;
      const auto report = job::from_payload<job::RankReport>(frame.payload);
      job_.report.add_unfinished(frame.rank, report);
      return end_if_all_have_told();
    }
    case FrameKind::seen:
      return window_.take(frame.rank, job::from_payload<job::RankReport>(frame.payload));
    case FrameKind::changed:
      take_changed(job::from_payload<job::Changed>(frame.payload));
      tell_of_losses();
      return end_without_the_lost();
    case FrameKind::left:
      return take_left(job::from_payload<job::LeftWorld>(frame.payload));
    case FrameKind::resumed:
      return job_.losses().resumed(job::from_payload<job::Resumed>(frame.payload));
    case FrameKind::grows:
      return joining_.allow();
    case FrameKind::missed:
      return take_missed(frame.rank, job::from_payload<job::Missed>(frame.payload));
    case FrameKind::crashed:
      process.crashed = frame.rank;
      return;
    case FrameKind::failure:
      return take_failure(process, frame.rank, job::from_payload<job::Failure>(frame.payload));
    case FrameKind::exited:
      return take_exit(process, job::from_payload<job::Exited>(frame.payload));
    default:
      throw Error("it speaks out of turn: use the same lbsp everywhere");
  }
}

/// A program of bsp.h may end in order before bsp_begin, for example after a word on how to use it. When rank
/// 0 has ended so, the ranks that wait in bsp_begin are let go. A rank that rank 0 wants must not end so.
bool Launcher::take_early_leave(JobProcess& process, const job::Exited& end) {
  const Rank rank = process.rank();
  const bool in_order = end.code == 0 && end.signal == 0 && end.problem.empty();
  if (!in_order || process.takes || process.failed || process.begun || process.has_reported() ||
      !job_.start_up.may_leave(rank))
    return false;
  process.left_early = true;
  if (phase_ == Phase::starting) {
    if (rank == 0) job_.start_up.want_nobody();
    start_if_complete();
    return true;
  }
  return phase_ == Phase::running && refuse_early_leave(process);
}

bool Launcher::refuse_early_leave(const JobProcess& process) {
  if (!process.left_early || process.rank() >= job_.start_up.size()) return false;
  fail(Failures::Kind::process,
       fmt::format(
           "{} ended without bsp_begin, which rank 0 called for {} ranks: call it, and bsp_end, on every "
           "process",
           process.name, job_.start_up.size()));
  return true;
}

void Launcher::take_exit(JobProcess& process, const job::Exited& end) {
  process.ended = true;
  process.exited = true;
  if (take_early_leave(process, end)) return close_if_all_ended();
  // A rank that the program does not want leaves as soon as it is told.
  const bool surplus = phase_ != Phase::starting && !process.takes && process.rank() >= job_.start_up.size();
  if (surplus) process.reports = process.spawn.ranks;
  std::string problem =
      ranks::describe_end(process, end, process.takes || job_.start_up.joined(process.rank()));
  if (!end.problem.empty() && !job_.placement.hosts[process.host].local) {
    problem = fmt::format("host {}: {}", job_.placement.hosts[process.host].name, problem);
  }
  if (!problem.empty() && may_lose() && (!process.has_reported() || ranks::was_killed(end))) {
    job_.losses().add(process.rank(), problem);
    respawn(process, survival::SpareSlots::Loss::process);
    tell_of_losses();
  } else if (!problem.empty()) {
    fail(Failures::Kind::process, problem);
  }
  dismiss_who_joins();
  tell_of_departures_soon();
  end_without_the_lost();
  end_if_only_stopped_are_left();
  end_if_all_have_told();
  close_if_all_ended();
}

void Launcher::pause() {
  if (phase_ >= Phase::ending || pause_timer_.running()) return;
  job_.hosts.signal(SIGSTOP);
  pause_timer_.start(before_pause, [this] {
    ::raise(SIGSTOP);
    // From here on it has been continued.
    job_.hosts.signal(SIGCONT);
    terminal_.tell_window();
    if (phase_ == Phase::starting) await_start();
  });
}

}  // namespace lbsp::launch
