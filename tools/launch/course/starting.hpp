#pragma once

#include <cstddef>
#include <functional>

#include "lbsp/job/messages.hpp"
#include "tools/launch/course/ending.hpp"
#include "tools/launch/course/job.hpp"
#include "tools/launch/ranks/job_process.hpp"
#include "tools/uv/events.hpp"
#include "tools/uv/loop.hpp"
#include "tools/uv/slices.hpp"

namespace lbsp::launch::course {

/// How a job begins: its processes, and the word to start when all are there.
class Starting {
 public:
  /// All must outlive it. `on_complete` is called when the job runs, just before the ranks are told so.
  Starting(uv::Loop& loop, Job& job, Ending& ending, std::function<void()> on_complete);

  /// Starts one process after the other, from the loop.
  void begin();
  /// From now on the processes have the start's timeout.
  void await();
  void stop_waiting() { timer_.stop(); }

  /// To be called when a process has said hello, or rank 0 how many ranks it wants.
  void start_if_complete();
  /// Of a process that has ended. Returns whether it has left in good order before bsp_begin: there is nothing more to
  /// be done about it then.
  bool take_early_leave(ranks::JobProcess& process, const job::Exited& end);
  /// All ranks were there.
  bool complete() const { return complete_; }

 private:
  bool begin_next();
  void timed_out();
  /// Fails the job if a rank that is wanted has ended before bsp_begin; returns whether.
  bool refuse_early_leave(const ranks::JobProcess& process);

  Job& job_;
  Ending& ending_;
  std::function<void()> on_complete_;
  uv::Slices slices_;
  std::ptrdiff_t begun_ = 0;
  uv::Timer timer_;
  bool complete_ = false;
};

}  // namespace lbsp::launch::course
