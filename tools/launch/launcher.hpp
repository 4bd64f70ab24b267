#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lbsp/job/frame.hpp"
#include "tools/launch/course/job.hpp"
#include "tools/launch/doors/job_door.hpp"
#include "tools/launch/doors/job_window.hpp"
#include "tools/launch/doors/kept_job.hpp"
#include "tools/launch/hosts/host_watch.hpp"
#include "tools/launch/hosts/job_hosts.hpp"
#include "tools/launch/places/placement.hpp"
#include "tools/launch/ranks/failures.hpp"
#include "tools/launch/ranks/job_processes.hpp"
#include "tools/launch/ranks/job_progress.hpp"
#include "tools/launch/ranks/start_up.hpp"
#include "tools/launch/report/job_report.hpp"
#include "tools/launch/report/report_files.hpp"
#include "tools/launch/request/options.hpp"
#include "tools/launch/survival/joining.hpp"
#include "tools/launch/survival/loss_judge.hpp"
#include "tools/launch/survival/missed_ranks.hpp"
#include "tools/launch/survival/newcomer_watch.hpp"
#include "tools/launch/survival/spare_slots.hpp"
#include "tools/launch/terminal/job_output.hpp"
#include "tools/launch/terminal/output_flow.hpp"
#include "tools/launch/terminal/progress_line.hpp"
#include "tools/launch/terminal/user_terminal.hpp"
#include "tools/uv/events.hpp"
#include "tools/uv/listener.hpp"
#include "tools/uv/loop.hpp"
#include "tools/uv/slices.hpp"

namespace lbsp::launch {

/// One job. Everything happens in its loop.
class Launcher {
 public:
  /// Throws UsageError if a file that the user asked for cannot be written.
  /// `known`, if any, must live as long.
  Launcher(const request::RunOptions& options, const places::Placement& placement,
           const network::KnownNetwork* known);

  /// From the first process to the report. Returns the exit code for the user.
  int run();

 private:
  enum class Phase {
    starting,
    running,
    ending,   ///< the processes are being ended
    closing,  ///< no process is left; hosts and output are let go
  };

  // The start.
  void start_processes();
  bool start_next_process();
  void start_if_complete();
  void await_start();
  void start_timed_out();
  std::string why_never_started(const ranks::JobProcess& process) const;

  // What hosts tell.
  void take(std::size_t host, const job::Frame& frame);
  void take_valid(ranks::JobProcess& process, const job::Frame& frame);
  void take_exit(ranks::JobProcess& process, const job::Exited& end);
  bool take_early_leave(ranks::JobProcess& process, const job::Exited& end);
  /// Fails the job if a rank that is wanted has ended before bsp_begin; returns whether.
  bool refuse_early_leave(const ranks::JobProcess& process);
  void take_host_gone(std::size_t host, const std::string& problem);
  /// Ends the job when nobody is left who could notice that it does not go on.
  void watch_hosts();
  hosts::HostWatch::Ranks what_ranks_do() const;
  void give_up_the_stopped();
  void end_if_only_lost_hosts_are_left();
  /// Stops all ranks and then this process, until that is continued, and the ranks with it.
  void pause();
  void output_written();
  /// The `lbsp run` in front has died: from here on what would be shown is kept for `lbsp attach`.
  void go_on_alone();
  /// The `lbsp run` in front has died.
  bool is_alone() const { return kept_ && kept_->has_taken_over(); }
  void put_output(const job::Frame& frame);
  void tell_report();

  // New processes in the places of lost ranks.
  void respawn(const ranks::JobProcess& lost, survival::SpareSlots::Loss loss);
  /// The job stands still for the new process in that rank's place.
  void say_who_is_awaited(Rank rank);
  void give_up_newcomer(Rank rank);
  void end_newcomers_of_the_lost(const job::Changed& change);
  void take_left(const job::LeftWorld& left);
  void take_missed(Rank from, const job::Missed& missed);
  std::string why_unheard(Rank rank, std::uint32_t epoch) const;
  void respawn_missed(const std::vector<Rank>& ranks);
  /// Of the newest world that it knows.
  Rank members() const;
  void take_changed(const job::Changed& change);
  bool take_from_outside(ranks::JobProcess& process, const job::Frame& frame);
  /// Tells the ranks of processes that have ended, whose places they may have in the newest world that is known here.
  void tell_of_losses();
  void tell_of_loss(const ranks::JobProcess& holder, std::uint32_t epoch);
  /// Ranks whose peers have left, and who wait all the same, are told so after a while.
  void tell_of_departures_soon();
  void tell_of_departures();

  // Hosts that join.
  doors::JobDoor::Left join(const std::string& host, const doors::JobDoor::Answer& answer);
  std::string why_nobody_may_join() const;
  void take_joined(ranks::JobProcess& process, const job::Changed& change);
  /// It has not come so far in time.
  void greeting_is_late(ranks::JobProcess& process);
  void knocking_is_late(ranks::JobProcess& process);
  void take_not_joined(ranks::JobProcess& process, const std::string& reason);
  /// Of a process that has ended without having joined.
  void free_its_rank(const ranks::JobProcess& process);
  /// When all others have come to their end, nobody can join any more.
  void dismiss_who_joins();

  // The end.
  void fail(ranks::Failures::Kind kind, const std::string& message, std::optional<Rank> lost = std::nullopt);
  void take_failure(ranks::JobProcess& process, Rank rank, const job::Failure& failure);
  void interrupt(int signal);
  /// SIGHUP, which also comes when the `lbsp run` in front dies that has led the terminal's session.
  void hang_up();
  void end_processes(int signal);
  /// A rank of a long job has much to tell when it is ended.
  void go_on_listening();
  void end_if_all_have_told();
  /// After a failure nobody else has to hear of it.
  void end_if_only_stopped_are_left();
  void signal_processes();
  void close_if_all_ended();
  void finish_if_done();
  /// Where the job goes on without lost ranks: when only those are left, they are ended, and the job is over.
  void end_without_the_lost();
  std::string without_the_silent();
  bool may_lose() const { return phase_ == Phase::running && job_.losses().outlived(); }
  int conclude();
  std::string why_not_finished() const;

  uv::Loop loop_;
  course::Job job_;
  report::ReportFiles files_;
  terminal::OutputWriter writer_;
  terminal::JobOutput output_;
  survival::SpareSlots spare_slots_;
  survival::LossJudge loss_judge_;
  survival::MissedRanks missed_;
  survival::NewcomerWatch newcomers_;
  std::map<Rank, job::LossNotice> told_;  ///< what the ranks know of a rank's process
  terminal::OutputFlow flow_;
  terminal::UserTerminal terminal_;
  ranks::JobProgress progress_;
  terminal::ProgressLine progress_line_;
  doors::JobWindow window_;
  doors::JobDoor door_;
  survival::Joining joining_;
  uv::Slices starts_;
  std::ptrdiff_t processes_begun_ = 0;
  uv::Timer start_timer_;
  uv::Timer pause_timer_;
  uv::Timer watch_timer_;
  uv::Timer missed_timer_;
  uv::Timer departure_timer_;
  uv::Timer end_timer_;
  uv::Timer hang_up_timer_;
  std::vector<std::unique_ptr<uv::SignalWatch>> signals_;
  hosts::HostWatch watch_;
  ranks::Failures failures_;
  Phase phase_ = Phase::starting;
  std::string last_line_;  ///< on standard error, without its beginning; empty: there was nothing to say
  int interrupted_ = 0;    ///< the user's signal
  int last_signal_ = 0;  ///< for the processes, when they have said what they have done; 0: they have got it
  std::optional<doors::KeptJob> kept_;       ///< none: it ends with its `lbsp run`
  std::unique_ptr<uv::Listener> attaching_;  ///< since that has died
  std::chrono::steady_clock::time_point interrupted_at_{};
  bool started_ = false;  ///< all ranks were there
};

}  // namespace lbsp::launch
