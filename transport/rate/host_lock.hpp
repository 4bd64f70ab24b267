#pragma once

#include <atomic>
#include <cstdint>

namespace lbsp::transport {

/// Held by one of the ranks of a host at a time, in memory that all of them see. Who dies while it holds it stops
/// nobody: the others go on without what it guards.
class HostLock {
 public:
  /// False: another rank has had it for unusually long, some 50 µs, so it does not run.
  bool lock();
  void unlock() { locked_.store(0, std::memory_order_release); }

 private:
  std::atomic<std::uint32_t> locked_{0};
  std::atomic<bool> abandoned_{
      false};  ///< somebody has waited for the lock in vain; whoever comes next tries once
};

}  // namespace lbsp::transport
