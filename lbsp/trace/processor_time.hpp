#pragma once

#include <chrono>

#include "transport/units.hpp"

namespace lbsp::trace {

/// Of the calling thread, from any origin. Reading it takes some 200 ns, in a virtual machine up to 1 µs.
transport::Duration thread_processor_time();

/// How much of the time between the library's calls a program's thread is without the processor, because others have
/// it.
///
/// To read the thread's clock at every call would cost more than half of an empty superstep, so it is read at the first
/// call after each multiple of `unread` of the wall clock: all ranks of a host read it at once, and none waits for
/// another that does. Until then the program is taken to run whenever it is not in a call: who has to wait for a
/// processor waits longer than that. What the clock then lacks was lacking in the last stretch. So the answer errs by
/// less than `unread` each time that the program lost the processor, and is exact where it did not.
class ProcessorTime {
 public:
  using Clock = std::chrono::steady_clock;
  using Read = transport::Duration (*)();

  static constexpr std::chrono::microseconds unread{1000};

  /// The program runs from `now` on.
  explicit ProcessorTime(Clock::time_point now, Read clock = thread_processor_time)
      : read_clock_(clock), next_read_(after(now)), last_(clock()) {}

  /// Before that, what happens need not be told.
  Clock::time_point next_read() const { return next_read_; }

  /// The program calls the library, `stretch` after it left it last, and has been outside of calls for `program` in
  /// all. Returns how much of the stretch it has been without the processor.
  transport::Duration enter(Clock::time_point now, transport::Duration stretch, transport::Duration program);
  /// It goes on.
  void leave(Clock::time_point now, transport::Duration program) { read(now, program); }

 private:
  static Clock::time_point after(Clock::time_point now) {
    const Clock::duration since_epoch = now.time_since_epoch();
    return now - since_epoch % unread + unread;
  }
  void read(Clock::time_point now, transport::Duration program);

  Read read_clock_;
  Clock::time_point next_read_;
  transport::Duration last_;        ///< what was read
  transport::Duration program_{0};  ///< time outside of calls until then
};

}  // namespace lbsp::trace
