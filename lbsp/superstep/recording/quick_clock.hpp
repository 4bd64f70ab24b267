#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace lbsp::superstep {

/// The steady clock, read in half the time and less by the processor's counter, where the system's clock is made of it
/// too; elsewhere as usual. It differs from the steady clock by less than a microsecond, never goes back, and may be
/// read a little before what stands before it is done. For one thread.
class QuickClock {
 public:
  using Steady = std::chrono::steady_clock;

  QuickClock();

  Steady::time_point now() {
    const std::uint64_t since = counter() - read_at_;
    if (since >= valid_for_) [[unlikely]]
      return read();
    latest_ = std::max(latest_, read_ + std::chrono::nanoseconds{(since * nanoseconds_each_) >> 32});
    return latest_;
  }

 private:
  static std::uint64_t counter() {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
  }
  Steady::time_point read();
  void learn(std::uint64_t at, Steady::time_point time);

  bool usable_;
  std::uint64_t valid_for_ = 0;         ///< counts since the clock was read; 0: it has to be read each time
  std::uint64_t nanoseconds_each_ = 0;  ///< in 2^-32
  std::uint64_t read_at_ = 0;           ///< the counter when the clock was read last …
  Steady::time_point read_{};           ///< … and what it said
  Steady::time_point latest_{};         ///< of what has been told
  std::uint64_t first_at_ = 0;          ///< likewise when it was read first
  Steady::time_point first_{};
};

}  // namespace lbsp::superstep
