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
#include "tools/launch/doors/job_window.hpp"
#include "tools/launch/doors/kept_job.hpp"
#include "tools/launch/hosts/job_hosts.hpp"
#include "tools/launch/members/departures.hpp"
#include "tools/launch/members/members.hpp"
#include "tools/launch/places/placement.hpp"
#include "tools/launch/ranks/job_processes.hpp"
#include "tools/launch/ranks/job_progress.hpp"
#include "tools/launch/ranks/start_up.hpp"
#include "tools/launch/report/job_report.hpp"
#include "tools/launch/report/report_files.hpp"
#include "tools/launch/request/options.hpp"
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

  void take_failure(ranks::JobProcess& process, Rank rank, const job::Failure& failure);
  /// SIGHUP, which also comes when the `lbsp run` in front dies that has led the terminal's session.
  void hang_up();

  uv::Loop loop_;
  course::Job job_;
  report::ReportFiles files_;
  terminal::OutputWriter writer_;
  terminal::JobOutput output_;
  terminal::OutputFlow flow_;
  terminal::UserTerminal terminal_;
  ranks::JobProgress progress_;
  course::Ending ending_;
  course::Starting starting_;
  course::LifeSigns life_signs_;
  members::Members members_;
  members::Departures departures_;
  terminal::ProgressLine progress_line_;
  doors::JobWindow window_;
  uv::Timer pause_timer_;
  uv::Timer hang_up_timer_;
  std::vector<std::unique_ptr<uv::SignalWatch>> signals_;
  std::optional<doors::KeptJob> kept_;       ///< none: it ends with its `lbsp run`
  std::unique_ptr<uv::Listener> attaching_;  ///< since that has died
};

}  // namespace lbsp::launch
