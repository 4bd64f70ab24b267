#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "lbsp/job/frame.hpp"
#include "tools/launch/conclusion.hpp"
#include "tools/launch/course/job.hpp"
#include "tools/launch/doors/kept_job.hpp"
#include "tools/launch/ranks/job_progress.hpp"
#include "tools/launch/terminal/job_output.hpp"
#include "tools/launch/terminal/output_flow.hpp"
#include "tools/launch/terminal/output_writer.hpp"
#include "tools/launch/terminal/progress_line.hpp"
#include "tools/uv/listener.hpp"
#include "tools/uv/loop.hpp"

namespace lbsp::launch {

/// What a job writes to its user. Once the `lbsp run` in front of it has died, that is kept for `lbsp attach`.
class UserOutput {
 public:
  /// All must outlive it. `on_written` is called when some of it is written, or cannot be.
  UserOutput(uv::Loop& loop, course::Job& job, const ranks::JobProgress& progress,
             std::function<void()> on_written);

  /// The job is to outlive the `lbsp run` in front. Throws UsageError if there is no room for that.
  void outlive_front();
  /// That has died.
  void go_on_alone();
  bool is_alone() const { return kept_ && kept_->has_taken_over(); }

  /// An output or error_output frame.
  void put(const job::Frame& frame);
  /// A line of lbsp's own on standard error.
  void say(const std::string& text) { lines_.say(text); }
  terminal::JobOutput& lines() { return lines_; }
  terminal::ProgressLine& progress() { return progress_; }
  /// Of the progress nothing is to be seen any more.
  void clear_progress();

  const terminal::OutputWriter& writer() const { return writer_; }
  /// The errno with which standard output takes no more; 0: it takes all.
  int problem() const;

  // When the loop has ended.

  void write_report(const std::string& text);
  /// Returns the exit code for the user.
  int end(const Conclusion& conclusion);

 private:
  void written();

  uv::Loop& loop_;
  std::function<void()> on_written_;
  terminal::OutputWriter writer_;
  terminal::JobOutput lines_;
  terminal::OutputFlow flow_;
  terminal::ProgressLine progress_;
  std::optional<doors::KeptJob> kept_;       ///< none: the job ends with its `lbsp run`
  std::unique_ptr<uv::Listener> attaching_;  ///< since that has died
};

}  // namespace lbsp::launch
