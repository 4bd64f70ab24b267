#pragma once

#include <chrono>

#include "tools/launch/job_output.hpp"
#include "tools/launch/job_progress.hpp"
#include "tools/uv/loop.hpp"

namespace lbsp::launch {

/// Tells on the user's terminal how far a job is: twice a second, whether or not the ranks get on.
class ProgressLine {
 public:
  /// All must outlive it.
  ProgressLine(uv::Loop& loop, const JobProgress& progress, JobOutput& output)
      : timer_(loop), progress_(progress), output_(output) {}

  /// The job has begun. Does nothing if standard error is no terminal that can write over a line.
  void start();
  void stop() { timer_.stop(); }

 private:
  void show();

  uv::Timer timer_;
  const JobProgress& progress_;
  JobOutput& output_;
  std::chrono::steady_clock::time_point started_;
};

}  // namespace lbsp::launch
