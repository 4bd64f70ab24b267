#pragma once

#include <functional>
#include <string>

#include "tools/uv/events.hpp"
#include "tools/uv/loop.hpp"

namespace lbsp::uv {

/// Accepts connections on a socket that listens. While the system has no descriptor for one, those that have come wait
/// in the socket, and the loop is not kept busy: libuv's own listeners close them instead.
class Listener {
 public:
  struct Events {
    /// Owns the new connection, which is closed on exec.
    std::function<void(int connection)> on_connection;
    /// Told once that connections have to wait, why, and what to do about it.
    std::function<void(const std::string&)> say;
  };

  /// Takes the descriptor over, which does not block. `visitor`: who connects, as say() names it.
  Listener(Loop& loop, int descriptor, std::string visitor, Events events);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener();

 private:
  void listen();
  void accept();
  void wait(int problem);

  int descriptor_;
  std::string visitor_;
  Events events_;
  Handle<uv_poll_t> handle_;
  Timer pause_;
  bool told_ = false;
};

}  // namespace lbsp::uv
