#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace lbsp::transport {

/// Which of two threads drives a rank's endpoint, its timers and socket: the program's while it waits in a call, the
/// network's while the program computes. It is always one at most, and what one has written the other sees.
///
/// A hand-over costs up to two wake-ups, so short calls and short computations wake nobody: the network's thread looks
/// on every `grace`, and takes its turn when the program has computed so long. If something is to be sent earlier, the
/// program wakes it; what timers ask for waits like what arrives. In a call that takes longer, it sleeps until the end
/// of that.
class Turns {
 public:
  static constexpr std::chrono::microseconds grace{500};

  /// `interrupt` ends the network's turn soon. Any thread may call it, also just before that turn begins.
  explicit Turns(std::function<void()> interrupt) : interrupt_(std::move(interrupt)) {}
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  // The program's side. Several threads take turns.

  /// Waits until nobody else drives.
  void take();
  /// `due`: something has to be sent within `grace`.
  void give(bool due);
  /// Whether the calling thread has taken the turn: then it is a signal's handler that calls.
  bool is_mine() const;

  // The network's.

  /// Waits for its turn, the first of which comes at once.
  void await();
  void pause();

  /// From any thread: there is something to do at once.
  void hurry();

 private:
  enum class Driver { nobody, program, network };

  std::function<void()> interrupt_;
  mutable std::mutex mutex_;
  std::condition_variable free_;   ///< the program waits for it
  std::condition_variable given_;  ///< the network's thread waits for it
  Driver driver_ = Driver::nobody;
  std::thread::id taker_ = {};  ///< whose turn of the program it is
  int takers_ = 0;              ///< of the program, that wait
  bool hurried_ = true;
  bool asleep_ = false;      ///< the network's thread does not look on
  std::uint64_t turns_ = 0;  ///< of the program, begun and ended
};

}  // namespace lbsp::transport
