#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "transport/udp/sockets/socket_address.hpp"
#include "transport/units.hpp"

namespace lbsp::transport::probe {

/// One end of a measurement: a state machine that is given datagrams and the time. It opens no socket and
/// reads no clock; its driver does.
class End {
 public:
  struct Outgoing {
    std::size_t bytes;
    transport::SocketAddress to;
  };

  End() = default;
  End(const End&) = delete;
  End& operator=(const End&) = delete;
  virtual ~End() = default;

  /// Takes a datagram, and changes its bytes. Silently drops what is not from the other end.
  virtual void handle_datagram(std::span<std::byte> datagram, const transport::SocketAddress& from,
                               transport::Instant now) = 0;
  virtual void handle_timeout(transport::Instant now) = 0;
  virtual transport::Instant next_timeout() const = 0;
  /// Writes the next datagram that is due into the buffer, which must have at least most_packet bytes.
  virtual std::optional<Outgoing> poll_transmit(std::span<std::byte> buffer, transport::Instant now) = 0;
  /// What poll_transmit() gives now must arrive unfragmented or not at all.
  virtual bool whole() const = 0;
  /// Nothing more will happen.
  virtual bool finished() const = 0;
};

bool same_address(const transport::SocketAddress& left, const transport::SocketAddress& right);

}  // namespace lbsp::transport::probe
