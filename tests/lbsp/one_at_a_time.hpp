#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace lbsp::lasting {

/// Runs threads one at a time, each until it gives its turn back. The test's own thread waits for that.
class OneAtATime {
 public:
  struct Thread {
    std::thread thread;
    std::condition_variable turned;
    bool ended = false;

    bool begun() const { return thread.joinable(); }
  };

  // On the test's thread.

  void begin(Thread& one, std::function<void()> body) {
    one.thread = std::thread([this, &one, body = std::move(body)] {
      await_turn(one);
      body();
      const std::lock_guard lock(mutex_);
      one.ended = true;
      give_back();
    });
    let_run(one);
  }
  /// If it has begun, and has not ended.
  void let_run(Thread& one) {
    std::unique_lock lock(mutex_);
    if (one.ended || !one.begun()) return;
    turn_ = &one;
    one.turned.notify_one();
    given_back_.wait(lock, [&] { return turn_ == nullptr; });
  }

  /// On that thread: it waits until it may run again.
  void wait(Thread& own) {
    {
      const std::lock_guard lock(mutex_);
      give_back();
    }
    await_turn(own);
  }

 private:
  void await_turn(Thread& own) {
    std::unique_lock lock(mutex_);
    own.turned.wait(lock, [&] { return turn_ == &own; });
  }
  void give_back() {
    turn_ = nullptr;
    given_back_.notify_one();
  }

  std::mutex mutex_;
  const Thread* turn_ = nullptr;  ///< whose it is; null: the test's
  std::condition_variable given_back_;
};

}  // namespace lbsp::lasting
