#pragma once

#include <chrono>

#include "tools/launch/ranks/job_progress.hpp"
#include "tools/launch/ranks/start_up.hpp"
#include "tools/launch/terminal/job_output.hpp"
#include "tools/uv/loop.hpp"

namespace lbsp::launch::terminal {

/// Tells on the user's terminal how far a job is: twice a second, whether or not the ranks get on.
class ProgressLine {
 public:
  /// All must outlive it.
  ProgressLine(uv::Loop& loop, const ranks::JobProgress& progress, JobOutput& output)
      : timer_(loop), progress_(progress), output_(output) {}

  // Nothing is told if standard error is no terminal that can write over a line.

  /// Its processes are being started. If that takes long, how many are there.
  void await(const ranks::StartUp& start_up);
  /// The job has begun.
  void start();
  void stop() { timer_.stop(); }

 private:
  void show_start(const ranks::StartUp& start_up);
  void show();

  uv::Timer timer_;
  const ranks::JobProgress& progress_;
  JobOutput& output_;
  std::chrono::steady_clock::time_point started_;
};

}  // namespace lbsp::launch::terminal
