#include "transport/rate/host_lock.hpp"

namespace lbsp::transport {
namespace {

/// Some 50 µs.
constexpr int most_tries = 2000;

void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

bool HostLock::lock() {
  const int tries = abandoned_.load(std::memory_order_relaxed) ? 1 : most_tries;
  for (int tried = 0; tried < tries; ++tried) {
    if (locked_.load(std::memory_order_relaxed) == 0 && locked_.exchange(1, std::memory_order_acquire) == 0) {
      if (tries == 1) abandoned_.store(false, std::memory_order_relaxed);
      return true;
    }
    pause_processor();
  }
  abandoned_.store(true, std::memory_order_relaxed);
  return false;
}

}  // namespace lbsp::transport
