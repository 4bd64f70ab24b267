#include "tools/uv/loop.hpp"

#include <fmt/format.h>

#include "transport/error.hpp"

namespace lbsp::uv {

Loop::Loop() {
  const int status = uv_loop_init(&loop_);
  if (status != 0) throw SystemError(fmt::format("no event loop: {}", uv_strerror(status)));
}

Loop::~Loop() {
  // Handles are freed by their close callbacks, which run here.
  uv_run(&loop_, UV_RUN_DEFAULT);
  uv_loop_close(&loop_);
}

void Loop::run() {
  uv_run(&loop_, UV_RUN_DEFAULT);
}

void Loop::stop() {
  uv_stop(&loop_);
}

}  // namespace lbsp::uv
