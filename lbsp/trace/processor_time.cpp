#include "lbsp/trace/processor_time.hpp"

#include <algorithm>
#include <ctime>

namespace lbsp::trace {

transport::Duration thread_processor_time() {
  std::timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

transport::Duration ProcessorTime::enter(Clock::time_point now, transport::Duration stretch,
                                         transport::Duration program) {
  const transport::Duration ran = last_;
  const transport::Duration outside = program_;
  read(now, program);
  return std::clamp(program - outside - (last_ - ran), transport::Duration{0}, stretch);
}

void ProcessorTime::read(Clock::time_point now, transport::Duration program) {
  last_ = read_clock_();
  next_read_ = after(now);
  program_ = program;
}

}  // namespace lbsp::trace
