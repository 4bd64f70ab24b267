#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tools/launch/course/job.hpp"
#include "tools/launch/ranks/failures.hpp"
#include "tools/launch/terminal/output_writer.hpp"
#include "tools/uv/events.hpp"
#include "tools/uv/loop.hpp"
#include "transport/units.hpp"

namespace lbsp::launch::course {

enum class Phase : std::uint8_t {
  starting,
  running,
  ending,   ///< the processes are being ended
  closing,  ///< no process is left; hosts and output are let go
};

/// How a job ends: by itself, by a failure or by the user. At its end it stops the loop.
class Ending {
 public:
  struct Calls {
    std::function<void()> on_failure;  ///< it has failed, and still goes on for a moment
    std::function<void()> on_end;      ///< its processes are being ended
    std::function<void()> on_close;    ///< none of them is left
  };

  /// All must outlive it.
  Ending(uv::Loop& loop, Job& job, const terminal::OutputWriter& writer, Calls calls);

  Phase phase() const { return phase_; }
  /// The job has started.
  void begin() { phase_ = Phase::running; }
  /// Whether the job goes on where a rank is lost now.
  bool may_lose() const { return phase_ == Phase::running && job_.losses().outlived(); }
  const ranks::Failures& failures() const { return failures_; }
  /// The user's signal; 0: there was none.
  int interrupted() const { return interrupted_; }

  void fail(ranks::Failures::Kind kind, const std::string& message, std::optional<Rank> lost = std::nullopt);
  void interrupt(int signal);
  /// Has the ranks say what they have done, and then sends them the signal.
  void end_processes(int signal);
  /// Kills what is left of them.
  void kill_processes();

  /// A rank of a long job has much to tell when it is ended.
  void go_on_listening();
  // To be called when a process has told what it has done, or has ended.
  void end_if_all_have_told();
  /// After a failure nobody else has to hear of it.
  void end_if_only_stopped_are_left();
  void close_if_all_ended();
  /// To be called when a host is gone or output is written.
  void finish_if_done();

 private:
  void signal_processes();

  uv::Loop& loop_;
  Job& job_;
  const terminal::OutputWriter& writer_;
  Calls calls_;
  Phase phase_ = Phase::starting;
  ranks::Failures failures_;
  uv::Timer timer_;
  int last_signal_ = 0;  ///< for the processes, when they have said what they have done; 0: they have got it
  int interrupted_ = 0;
  std::chrono::steady_clock::time_point interrupted_at_{};
};

}  // namespace lbsp::launch::course
