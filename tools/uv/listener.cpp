#include "tools/uv/listener.hpp"

#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace lbsp::uv {

Listener::Listener(Loop& loop, int descriptor, std::function<void(int)> on_connection)
    : descriptor_(descriptor), on_connection_(std::move(on_connection)) {
  auto* handle = new uv_poll_t;
  uv_poll_init(loop.get(), handle, descriptor);
  handle->data = this;
  handle_.reset(handle);
  uv_poll_start(handle, UV_READABLE,
                [](uv_poll_t* readable, int, int) { static_cast<Listener*>(readable->data)->accept(); });
}

Listener::~Listener() {
  uv_poll_stop(handle_.get());
  ::close(descriptor_);
}

void Listener::accept() {
  const int connection = ::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (connection >= 0) on_connection_(connection);
}

}  // namespace lbsp::uv
