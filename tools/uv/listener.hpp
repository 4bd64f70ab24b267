#pragma once

#include <functional>

#include "tools/uv/loop.hpp"

namespace lbsp::uv {

/// Accepts connections on a socket that listens.
class Listener {
 public:
  /// Takes the descriptor over, which does not block. `on_connection` owns each new one, which is closed on exec.
  Listener(Loop& loop, int descriptor, std::function<void(int connection)> on_connection);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener();

 private:
  void accept();

  int descriptor_;
  std::function<void(int)> on_connection_;
  Handle<uv_poll_t> handle_;
};

}  // namespace lbsp::uv
