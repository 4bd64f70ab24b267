#pragma once

#include <chrono>

#include "transport/units.hpp"

namespace lbsp::trace {

/// Of the calling thread, from any origin. Reading it takes some 200 ns, in a virtual machine up to 1 µs.
transport::Duration thread_processor_time();

/// How much of the time between the library's calls a program's thread is without the processor, because others have
/// it.
///
/// To read the thread's clock at every call would cost more than half of an empty superstep, so it is read when
/// `unread` have passed since. Until then the program is taken to run whenever it is not in a call: who has to wait for
/// a processor waits longer than that. What the clock then lacks was lacking in the last stretch. So the answer errs by
/// less than `unread` each time that the program lost the processor, and is exact where it did not.
class ProcessorTime {
 public:
  using Clock = std::chrono::steady_clock;
  using Read = transport::Duration (*)();

  static constexpr std::chrono::microseconds unread{250};

  /// The program runs from `now` on.
  explicit ProcessorTime(Clock::time_point now, Read clock = thread_processor_time)
      : read_(clock), left_at_(now), read_at_(now), last_(clock()) {}

  /// The program calls the library. Returns how long it has been without the processor since it left the library last.
  transport::Duration enter(Clock::time_point now) {
    program_ += now - left_at_;
    return now - read_at_ < unread ? transport::Duration{0} : lacking(now);
  }
  /// It goes on.
  void leave(Clock::time_point now) {
    left_at_ = now;
    if (now - read_at_ >= unread) read(now);
  }
  /// The same before next_read().
  void leave_at_once(Clock::time_point now) { left_at_ = now; }
  /// From then on leave() reads the clock.
  Clock::time_point next_read() const { return read_at_ + unread; }

 private:
  transport::Duration lacking(Clock::time_point now);
  /// Reads the clock. Returns what it has counted since it was read last.
  transport::Duration read(Clock::time_point now);

  Read read_;
  Clock::time_point left_at_;
  Clock::time_point read_at_;
  transport::Duration last_;        ///< what was read
  transport::Duration program_{0};  ///< time outside of calls since then
};

}  // namespace lbsp::trace
