#pragma once

#include <memory>
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

 private:
  uv_loop_t loop_;
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
