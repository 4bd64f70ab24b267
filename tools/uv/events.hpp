#pragma once

#include <chrono>
#include <functional>

#include "tools/uv/loop.hpp"

namespace lbsp::uv {

/// Calls once, a while from now. Starting it again forgets the earlier call.
class Timer {
 public:
  explicit Timer(Loop& loop);
  void start(std::chrono::milliseconds after, std::function<void()> call);
  void stop();
  bool running() const;

 private:
  Handle<uv_timer_t> handle_;
  std::function<void()> call_;
};

/// Calls on every arrival of a signal.
class SignalWatch {
 public:
  SignalWatch(Loop& loop, int signal, std::function<void()> call);

 private:
  std::function<void()> call_;
  Handle<uv_signal_t> handle_;
};

/// Calls on the loop's thread some time after send(), which any thread may call; several sends may be one
/// call.
class Wake {
 public:
  Wake(Loop& loop, std::function<void()> call);
  void send();

 private:
  std::function<void()> call_;
  Handle<uv_async_t> handle_;
};

}  // namespace lbsp::uv
