#pragma once

#include <functional>
#include <vector>

#include "tools/uv/descriptors.hpp"
#include "tools/wan/router_core.hpp"

namespace lbsp::wan {

/// Moves the packets between hosts' devices and the core, in real time, on one thread.
class Router {
 public:
  /// Throws SystemError.
  Router(RouterCore& core, const std::vector<uv::Descriptor>& devices);

  /// Until SIGTERM; at SIGHUP calls `on_hangup`. Both must be blocked. Throws SystemError.
  void run(const std::function<void()>& on_hangup);

  /// The time that the core is told.
  static transport::Instant now();

 private:
  void wait();
  void take_signals(const std::function<void()>& on_hangup);
  void rest() const;
  void begin_round();
  void read_from(int host);
  void deliver();
  void watch(int descriptor, int number);

  RouterCore& core_;
  const std::vector<uv::Descriptor>& devices_;
  uv::Descriptor epoll_;
  uv::Descriptor signals_;
  std::vector<int> readable_;
  transport::Instant round_start_{};
  bool signalled_ = false;
  bool ended_ = false;
  bool hurried_ = false;  ///< it began soon after the one before
  int moved_ = 0;         ///< packets read and delivered in it
};

}  // namespace lbsp::wan
