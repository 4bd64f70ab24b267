#pragma once

#include <cstddef>
#include <string>

#include "lbsp/job/frame.hpp"
#include "lbsp/job/messages.hpp"
#include "tools/launch/course/ending.hpp"
#include "tools/launch/course/job.hpp"
#include "tools/launch/course/life_signs.hpp"
#include "tools/launch/course/starting.hpp"
#include "tools/launch/doors/job_window.hpp"
#include "tools/launch/members/departures.hpp"
#include "tools/launch/members/members.hpp"
#include "tools/launch/network/known_network.hpp"
#include "tools/launch/places/placement.hpp"
#include "tools/launch/ranks/job_process.hpp"
#include "tools/launch/ranks/job_progress.hpp"
#include "tools/launch/report/report_files.hpp"
#include "tools/launch/request/options.hpp"
#include "tools/launch/terminal/user_terminal.hpp"
#include "tools/launch/user_output.hpp"
#include "tools/launch/user_signals.hpp"
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
  /// As far as it has come.
  bool may_say(const ranks::JobProcess& process, job::FrameKind kind) const;
  void take_valid(ranks::JobProcess& process, const job::Frame& frame);
  // Parts of that; each returns whether the frame was one of its kinds.
  bool take_from_program(ranks::JobProcess& process, const job::Frame& frame);
  bool take_of_course(ranks::JobProcess& process, const job::Frame& frame);
  bool take_figures(ranks::JobProcess& process, const job::Frame& frame);
  bool take_of_world(const job::Frame& frame);
  bool take_of_end(ranks::JobProcess& process, const job::Frame& frame);
  void take_greeting(const ranks::JobProcess& process, const job::Frame& frame);
  void take_steps(Rank rank, const job::Steps& steps);
  void take_report(Rank rank, const job::RankReport& report);
  /// Of a rank that has not come to its end.
  void take_interim(Rank rank, const job::RankReport& report);
  void take_failure(ranks::JobProcess& process, Rank rank, const job::Failure& failure);
  void take_exit(ranks::JobProcess& process, const job::Exited& end);
  void take_host_gone(std::size_t host, const std::string& problem);

  void output_written();

  uv::Loop loop_;
  course::Job job_;
  report::ReportFiles files_;
  ranks::JobProgress progress_;
  UserOutput output_;
  terminal::UserTerminal terminal_;
  course::Ending ending_;
  course::Starting starting_;
  course::LifeSigns life_signs_;
  members::Members members_;
  members::Departures departures_;
  doors::JobWindow window_;
  UserSignals signals_;
};

}  // namespace lbsp::launch
