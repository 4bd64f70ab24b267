#pragma once

#include <chrono>
#include <ctime>
#include <pthread.h>
#include <thread>

#include "transport/units.hpp"

namespace lbsp::transport {

/// For how long that thread has had a processor since it began. It must not have been joined.
inline Duration processor_time_of(std::thread& thread) {
  clockid_t clock{};
  std::timespec time{};
  if (::pthread_getcpuclockid(thread.native_handle(), &clock) != 0 || ::clock_gettime(clock, &time) != 0)
    return Duration{0};
  return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

}  // namespace lbsp::transport
