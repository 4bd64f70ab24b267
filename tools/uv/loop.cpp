#include "tools/uv/loop.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "transport/error.hpp"

namespace lbsp::uv {

namespace {

[[noreturn]] void refuse(const char* problem) {
  throw SystemError(fmt::format("no event loop: {}: raise the limit of open files (ulimit -n)", problem));
}

/// libuv ends the process by abort() if it can have a descriptor to wait with, but not the pipe after it.
void require_descriptors() {
  const int waiting = ::epoll_create1(EPOLL_CLOEXEC);
  std::array<int, 2> pipe{-1, -1};
  const int problem = waiting < 0 || ::pipe2(pipe.data(), O_CLOEXEC) != 0 ? errno : 0;
  for (const int descriptor : {waiting, pipe[0], pipe[1]}) {
    if (descriptor >= 0) ::close(descriptor);
  }
  if (problem != 0) refuse(std::strerror(problem));
}

}  // namespace

Loop::Loop() {
  require_descriptors();
  const int status = uv_loop_init(&loop_);
  if (status != 0) refuse(uv_strerror(status));
  loop_.data = this;
  read_buffer_.resize(read_bytes);
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
