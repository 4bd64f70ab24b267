#pragma once

#include <algorithm>
#include <chrono>
#include <sched.h>
#include <utility>

#include "transport/process/spin_budget.hpp"
#include "transport/units.hpp"

namespace lbsp::transport::shared_memory {

/// Looks on while that is cheaper than to sleep and be woken: first without pause, then letting others run in between.
class Lookout {
 public:
  /// Whoever has run for so long meanwhile is no rank that waits too. Beside such a process a rank that yields gets its
  /// processor back when the other's time slice is over, while one that sleeps gets it soon after it is woken.
  static constexpr Duration long_yield = std::chrono::microseconds{200};

  explicit Lookout(bool processor_each) : spin_(processor_each, most_looks), yield_(true, most_yields) {}

  /// Whether done() has come true.
  template <class Done>
  bool look(const Done& done) {
    return look(done, ::sched_yield);
  }
  template <class Done, class Yield>
  bool look(const Done& done, const Yield& yield) {
    const int looks = spin_.looks();
    for (int i = 0; i < looks; ++i) {
      if (i >= looks_at_once) relax();
      if (!done()) continue;
      spin_.succeeded(looks);
      return true;
    }
    if (looks > 0) spin_.failed();
    return let_others_run(done, yield);
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// A hundred microseconds or so.
  static constexpr int most_looks = 2000;
  static constexpr int most_yields = 16;
  /// A pause takes as long as a short superstep's messages, some 25 ns, so there is none in the first looks.
  static constexpr int looks_at_once = 100;

  static void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  template <class Done, class Yield>
  bool let_others_run(const Done& done, const Yield& yield) {
    const int times = std::min(yield_.looks(), most_yields);
    auto before = Clock::now();
    for (int i = 0; i < times; ++i) {
      yield();
      const auto now = Clock::now();
      const bool is_done = done();
      // Also if all has come meanwhile: it came long ago.
      if (now - std::exchange(before, now) >= long_yield) {
        yield_.failed();
        return is_done;
      }
      if (!is_done) continue;
      yield_.succeeded(times);
      return true;
    }
    return false;
  }

  SpinBudget spin_;
  SpinBudget yield_;
};

}  // namespace lbsp::transport::shared_memory
