#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <uv.h>

namespace lbsp::uv {

/// An event loop on the thread that calls run(). What is made with it must be destroyed before it.
class Loop {
 public:
  Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop();

  /// Until stop().
  void run();
  void stop();

  uv_loop_t* get() { return &loop_; }

  /// What a stream of this loop has just read, until the function that it is given to returns. One for all of them: a
  /// process that has a buffer for each of thousands of streams starts children ever more slowly, as fork() takes a
  /// time that grows with its memory.
  std::string& read_buffer() { return read_buffer_; }
  static Loop& of(const uv_loop_t* loop) { return *static_cast<Loop*>(loop->data); }

 private:
  static constexpr std::size_t read_bytes = std::size_t{64} << 10;

  uv_loop_t loop_;
  std::string read_buffer_;
};

struct CloseHandle {
  template <class H>
  void operator()(H* handle) const {
    uv_close(reinterpret_cast<uv_handle_t*>(handle),
             [](uv_handle_t* closed) { delete reinterpret_cast<H*>(closed); });
  }
};

/// A libuv handle, which its loop frees some time after its owner lets go of it. Only initialised handles.
template <class H>
using Handle = std::unique_ptr<H, CloseHandle>;

}  // namespace lbsp::uv
