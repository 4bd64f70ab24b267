#include "tools/uv/listener.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace lbsp::uv {
namespace {

/// Nobody tells when a descriptor is free again. Whoever connects waits for seconds.
constexpr std::chrono::milliseconds between_attempts{100};

bool is_of_this_connection(int problem) {
  return problem == EAGAIN || problem == EINTR || problem == ECONNABORTED;
}

std::string describe(const std::string& visitor, int problem) {
  const char* const text = std::strerror(problem);
  if (problem == EMFILE)
    return fmt::format("{} has to wait: {}: raise the limit of open files (ulimit -n)", visitor, text);
  if (problem == ENFILE)
    return fmt::format("{} has to wait: {}: raise the system's limit of open files (fs.file-max)", visitor,
                       text);
  return fmt::format("{} has to wait: {}: see whether this machine is out of memory", visitor, text);
}

}  // namespace

Listener::Listener(Loop& loop, int descriptor, std::string visitor, Events events)
    : descriptor_(descriptor), visitor_(std::move(visitor)), events_(std::move(events)), pause_(loop) {
  auto* handle = new uv_poll_t;
  uv_poll_init(loop.get(), handle, descriptor);
  handle->data = this;
  handle_.reset(handle);
  listen();
}

Listener::~Listener() {
  uv_poll_stop(handle_.get());
  ::close(descriptor_);
}

void Listener::listen() {
  uv_poll_start(handle_.get(), UV_READABLE,
                [](uv_poll_t* readable, int, int) { static_cast<Listener*>(readable->data)->accept(); });
}

void Listener::accept() {
  const int connection = ::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (connection >= 0) return events_.on_connection(connection);
  if (!is_of_this_connection(errno)) wait(errno);
}

void Listener::wait(int problem) {
  uv_poll_stop(handle_.get());
  pause_.start(between_attempts, [this] { listen(); });
  if (!std::exchange(told_, true)) events_.say(describe(visitor_, problem));
}

}  // namespace lbsp::uv
