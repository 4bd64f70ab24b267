#include "tools/uv/events.hpp"

#include <utility>

namespace lbsp::uv {

Timer::Timer(Loop& loop) {
  auto* handle = new uv_timer_t;
  uv_timer_init(loop.get(), handle);
  handle->data = this;
  handle_.reset(handle);
}

void Timer::start(std::chrono::milliseconds after, std::function<void()> call) {
  call_ = std::move(call);
  // The loop's clock stands still during a callback, and one that took long would shorten the wait by as much.
  uv_update_time(handle_->loop);
  uv_timer_start(
      handle_.get(),
      [](uv_timer_t* handle) {
        // The call may start the timer anew, with another call.
        const auto due = std::exchange(static_cast<Timer*>(handle->data)->call_, nullptr);
        due();
      },
      static_cast<std::uint64_t>(after.count()), 0);
}

void Timer::stop() {
  uv_timer_stop(handle_.get());
}

bool Timer::running() const {
  return uv_is_active(reinterpret_cast<const uv_handle_t*>(handle_.get())) != 0;
}

SignalWatch::SignalWatch(Loop& loop, int signal, std::function<void()> call) : call_(std::move(call)) {
  auto* handle = new uv_signal_t;
  uv_signal_init(loop.get(), handle);
  handle->data = this;
  handle_.reset(handle);
  uv_signal_start(
      handle, [](uv_signal_t* arrived, int) { static_cast<SignalWatch*>(arrived->data)->call_(); }, signal);
}

Wake::Wake(Loop& loop, std::function<void()> call) : call_(std::move(call)) {
  auto* handle = new uv_async_t;
  handle->data = this;
  uv_async_init(loop.get(), handle, [](uv_async_t* woken) { static_cast<Wake*>(woken->data)->call_(); });
  handle_.reset(handle);
}

void Wake::send() {
  uv_async_send(handle_.get());
}

}  // namespace lbsp::uv
