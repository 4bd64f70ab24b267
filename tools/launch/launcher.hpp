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
#include "tools/launch/course/ending.hpp"
#include "tools/launch/course/job.hpp"
#include "tools/launch/course/life_signs.hpp"
#include "tools/launch/course/starting.hpp"
#include "tools/launch/doors/job_door.hpp"
#include "tools/launch/doors/job_window.hpp"
#include "tools/launch/doors/kept_job.hpp"
#include "tools/launch/hosts/job_hosts.hpp"
#include "tools/launch/places/placement.hpp"
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
  /// The job runs.
  void begin();
  /// The job is being ended.
  void leave_off();

  // What hosts tell.
  void take(std::size_t host, const job::Frame& frame);
  void take_valid(ranks::JobProcess& process, const job::Frame& frame);
  void take_exit(ranks::JobProcess& process, const job::Exited& end);
  void take_host_gone(std::size_t host, const std::string& problem);
  /// Stops all ranks and then this process, until that is continued, and the ranks with it.
  void pause();
  void output_written();
  /// The `lbsp run` in front has died: from here on what would be shown is kept for `lbsp attach`.
  void go_on_alone();
  /// The `lbsp run` in front has died.
  bool is_alone() const { return kept_ && kept_->has_taken_over(); }
  void put_output(const job::Frame& frame);
  void write_report(const std::string& text);

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
  void take_failure(ranks::JobProcess& process, Rank rank, const job::Failure& failure);
  /// SIGHUP, which also comes when the `lbsp run` in front dies that has led the terminal's session.
  void hang_up();
  /// Where the job goes on without lost ranks: when only those are left, they are ended, and the job is over.
  void end_without_the_lost();
  std::string without_the_silent();

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
  course::Ending ending_;
  course::Starting starting_;
  course::LifeSigns life_signs_;
  terminal::ProgressLine progress_line_;
  doors::JobWindow window_;
  doors::JobDoor door_;
  survival::Joining joining_;
  uv::Timer pause_timer_;
  uv::Timer missed_timer_;
  uv::Timer departure_timer_;
  uv::Timer hang_up_timer_;
  std::vector<std::unique_ptr<uv::SignalWatch>> signals_;
  std::optional<doors::KeptJob> kept_;       ///< none: it ends with its `lbsp run`
  std::unique_ptr<uv::Listener> attaching_;  ///< since that has died
};

}  // namespace lbsp::launch
