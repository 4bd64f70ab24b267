#pragma once

#include <functional>
#include <utility>

#include "transport/lasting/lasting_endpoint.hpp"
#include "transport/udp/driving/shared_port.hpp"
#include "transport/udp/driving/station_addresses.hpp"
#include "transport/udp/driving/udp_job.hpp"
#include "transport/udp/loop/datagram_loop.hpp"

namespace lbsp::transport {

/// Moves one endpoint's datagrams over a socket, on the thread that drives its loop. Threads may take turns at it.
class UdpDriver final : private Correspondent {
 public:
  /// Throws SystemError if a peer has no address or the system refuses what waiting needs. A new process waits here
  /// until it has its place (knock_for_letter()).
  UdpDriver(UdpPort port, const UdpJob& job);

  /// Called after every event, by the thread whose turn it is, before what follows from it is sent.
  void on_event(std::function<void()> call) { on_event_ = std::move(call); }

  /// What moves the datagrams. Its run() returns after stop(), or after close() when nothing is left to be sent, at the
  /// latest `longest_farewell` later; it throws what on_event's function throws, too.
  DatagramLoop& loop() { return loop_; }

  // On the thread whose turn it is.
  LastingEndpoint& endpoint() { return endpoint_; }
  const LastingEndpoint& endpoint() const { return endpoint_; }
  static Instant now() { return DatagramLoop::now(); }
  /// Nothing is left to be told, or has been for the longest farewell.
  bool farewell_over() const;
  /// Begins the end of run().
  void close();
  UdpLosses losses() const { return {loop_.outflow().refused(), loop_.outflow().impairment()}; }

  /// How long a failed or closing rank goes on telling the others. Three ABORTs take 20 ms, their way through
  /// a pretended network half its round-trip time.
  static constexpr Duration longest_farewell = std::chrono::milliseconds{250};

 private:
  void handle_datagram(std::span<std::byte> datagram, const SocketAddress& from,
                       const Arrival& arrival) override;
  void handle_timeout(Instant now) override;
  Instant next_timeout() const override;
  Instant next_transmit() const override { return closing_ ? next_timeout() : endpoint_.next_transmit(); }
  std::optional<Outgoing> poll_transmit(std::span<std::byte> buffer, Instant now) override;
  const SocketAddress& address_of(Rank rank) const override { return peers_.of(rank); }
  void after_receiving(std::uint64_t overflowed) override { endpoint_.world().note_overflowed(overflowed); }
  void handle_refusal(Rank to, std::size_t bytes, Instant now) override;
  void handle_host_refusal(Rank to, int error, Instant now) override {
    endpoint_.world().ways().note_host_refusal(to, error, now);
  }
  void before_sending(Instant now) override;
  void after_sending() override;
  bool finished() const override { return closing_ && farewell_over(); }

  void came_from(const SocketAddress& address, const HeardFrom& from, Instant time);
  void limit_to_route(Rank rank, Instant time);

  ExchangeOptions options_;
  StationAddresses peers_;
  SharedPort shared_;
  LastingEndpoint endpoint_;
  DatagramLoop loop_;
  std::function<void()> on_event_;
  Instant farewell_end_ = never;  ///< set by a failure or by close()
  bool closing_ = false;
};

}  // namespace lbsp::transport
