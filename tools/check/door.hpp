#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "tools/check/knock.hpp"
#include "tools/check/knock_sizes.hpp"
#include "tools/check/worker_protocol.hpp"
#include "transport/udp/batches/host_refusals.hpp"
#include "transport/udp/sockets/port.hpp"
#include "transport/udp/sockets/socket_address.hpp"

namespace lbsp::check {

/// One host's UDP port in a check. It answers whoever knocks, all the time, and knocks at others when told to: in
/// the rounds of KnockSizes, 300 ms apart, and at no more than 4 Mbit/s.
class Door {
 public:
  using Clock = std::chrono::steady_clock;

  Door(transport::UdpPort port, const Setup& setup);
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  void knock_at(const std::vector<transport::PeerAddress>& hosts, Clock::time_point now);

  /// For poll().
  int descriptor() const { return port_.native_handle(); }
  /// Reads all that has arrived, and answers it.
  void receive();
  /// Sends what is due. Returns true once for each knock_at(): all is answered, or it is time to stop.
  bool send_due(Clock::time_point now);
  /// When send_due() has something to do; none: not before it is told to knock.
  std::optional<Clock::time_point> due() const;

  AllHeard heard() const;

 private:
  struct Due {
    int host;
    std::uint16_t size;
  };

  void begin_round(Clock::time_point now);
  KnockSizes& sizes_of(int host);
  void send(int host, std::span<const std::byte> datagram, const transport::SocketAddress& to);

  transport::UdpPort port_;
  transport::JobKey key_;
  KnockCipher cipher_;
  std::map<int, transport::SocketAddress> others_;
  std::map<int, std::set<std::uint16_t>> arrived_;
  std::map<int, KnockSizes> sizes_;    ///< of the own knocks …
  std::map<int, std::uint16_t> full_;  ///< … and the longest of them
  transport::HostRefusals refusals_;
  std::map<int, int> refused_;  ///< with the system's error; 0: it takes what goes there again
  int own_;
  std::vector<Due> round_;  ///< what is left to send, the last one first
  bool knocking_ = false;
  Clock::time_point next_{};
  Clock::time_point next_round_{};
};

}  // namespace lbsp::check
