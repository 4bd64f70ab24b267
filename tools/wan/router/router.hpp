#pragma once

#include <functional>
#include <vector>

#include "tools/uv/descriptors.hpp"
#include "tools/wan/packets/datagram_train.hpp"
#include "tools/wan/router/router_core.hpp"
#include "tools/wan/router/tun_device.hpp"

namespace lbsp::wan::router {

/// Moves the packets between hosts' devices and the core, in real time, on one thread.
class Router {
 public:
  /// Throws SystemError.
  Router(RouterCore& core, const std::vector<HostDevice>& devices);

  /// Until SIGTERM; at SIGHUP calls `on_hangup`. Both must be blocked. Throws SystemError.
  void run(const std::function<void()>& on_hangup);

  /// The time that the core is told.
  static transport::Instant now();

 private:
  /// What leaves for one host now.
  struct Outgoing {
    packets::OutgoingTrain train = {};
    std::vector<RouterCore::Delivery> deliveries = {};
    bool refuses_trains = false;
  };

  void wait();
  void take_signals(const std::function<void()>& on_hangup);
  void rest() const;
  void begin_round();
  void read_from(int host);
  int read_next(int host);
  int read_with_offloads(int host);
  void deliver();
  void write_out(int to);
  void watch(int descriptor, int number);

  RouterCore& core_;
  const std::vector<HostDevice>& devices_;
  uv::Descriptor epoll_;
  uv::Descriptor signals_;
  std::vector<int> readable_;
  std::vector<std::byte> incoming_;  ///< a train
  std::vector<Outgoing> outgoing_;   ///< by host …
  std::vector<int> leaving_;         ///< … and those for which something leaves
  transport::Instant round_start_{};
  bool signalled_ = false;
  bool ended_ = false;
  bool hurried_ = false;  ///< it began soon after the one before
  int moved_ = 0;         ///< packets read and delivered in it
};

}  // namespace lbsp::wan::router
