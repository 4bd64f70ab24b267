#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "transport/probe/end.hpp"
#include "transport/udp/loop/datagram_loop.hpp"

namespace lbsp::transport::probe {

/// Moves one end's datagrams over a socket, on the thread that calls run().
class Driver final : private transport::Correspondent {
 public:
  /// `wan` impairs what this end sends. Datagrams above the path's MTU are sent in fragments. Throws
  /// SystemError if the system refuses what waiting needs.
  Driver(transport::UdpPort port, End& end, const std::optional<transport::WanSpec>& wan,
         std::uint64_t wan_seed);

  /// Called after every event.
  void on_event(std::function<void()> call) { on_event_ = std::move(call); }

  /// Returns when the end has finished, or after stop(). Throws SystemError if the socket becomes unusable.
  void run() { loop_.run(); }
  /// From any thread.
  void stop() { loop_.stop(); }

  boost::asio::io_context& io() { return loop_.io(); }
  static transport::Instant now() { return transport::DatagramLoop::now(); }

 private:
  using Instant = transport::Instant;
  using SocketAddress = transport::SocketAddress;

  void handle_datagram(std::span<std::byte> datagram, const SocketAddress& from,
                       const transport::Arrival& arrival) override;
  void handle_timeout(Instant now) override { end_.handle_timeout(now); }
  Instant next_timeout() const override { return end_.next_timeout(); }
  std::optional<Outgoing> poll_transmit(std::span<std::byte> buffer, Instant now) override;
  const SocketAddress& address_of(Rank path) const override { return paths_[static_cast<std::size_t>(path)]; }
  bool finished() const override { return end_.finished(); }
  bool whole() const override { return end_.whole(); }
  void after_sending() override;

  Rank path_to(const SocketAddress& address);

  End& end_;
  transport::DatagramLoop loop_;
  std::vector<SocketAddress> paths_;
  std::size_t oldest_path_ = 0;
  std::function<void()> on_event_;
};

/// The largest UDP payload that goes to `peer` without fragments, as far as this host knows the path; 65507
/// if the system does not say.
std::size_t largest_unfragmented(const transport::SocketAddress& peer);

}  // namespace lbsp::transport::probe
