#include "lbsp/trace/processor_time.hpp"

#include <algorithm>
#include <ctime>

namespace lbsp::trace {

transport::Duration thread_processor_time() {
  std::timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

transport::Duration ProcessorTime::lacking(Clock::time_point now) {
  const transport::Duration stretch = now - left_at_;
  const transport::Duration program = program_;
  return std::clamp(program - read(now), transport::Duration{0}, stretch);
}

transport::Duration ProcessorTime::read(Clock::time_point now) {
  const transport::Duration before = last_;
  last_ = read_();
  read_at_ = now;
  program_ = transport::Duration{0};
  return last_ - before;
}

}  // namespace lbsp::trace
