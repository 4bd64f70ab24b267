#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "transport/arrival.hpp"
#include "transport/ecn.hpp"
#include "transport/udp/sockets/socket_address.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Takes datagrams and gives them. It opens no socket and reads no clock: a DatagramLoop does, and calls it.
class Correspondent {
 public:
  /// A datagram for the address that address_of() gives for the number `to`.
  struct Outgoing {
    Rank to = 0;
    std::size_t bytes = 0;
    bool in_train = false;  ///< it may be lost together with its neighbours, for speed
    Ecn ecn = Ecn::none;
    /// It goes there instead, and no network is pretended on the way: on this host, or a question about an address.
    const SocketAddress* by_way_of = nullptr;
  };

  Correspondent() = default;
  Correspondent(const Correspondent&) = delete;
  Correspondent& operator=(const Correspondent&) = delete;
  virtual ~Correspondent() = default;

  /// Takes a datagram, and may change its bytes. `from` is empty unless the loop keeps sources; of the arrival only
  /// what the loop asks for is known.
  virtual void handle_datagram(std::span<std::byte> datagram, const SocketAddress& from,
                               const Arrival& arrival) = 0;
  /// Called when next_timeout() has passed.
  virtual void handle_timeout(Instant now) = 0;
  virtual Instant next_timeout() const = 0;
  /// The part of it that is sending, which keeps others waiting if it is late.
  virtual Instant next_transmit() const { return next_timeout(); }
  /// Writes the next datagram that is due into the buffer.
  virtual std::optional<Outgoing> poll_transmit(std::span<std::byte> buffer, Instant now) = 0;
  virtual const SocketAddress& address_of(Rank to) const = 0;
  /// Nothing more will happen: the loop ends.
  virtual bool finished() const = 0;

  /// What poll_transmit() gives must arrive without fragments or not at all.
  virtual bool whole() const { return true; }
  /// The system has refused a datagram as too long for the way to `to`.
  virtual void handle_refusal(Rank /*to*/, std::size_t /*bytes*/, Instant /*now*/) {}
  /// This host refuses to send to `to`, whatever it is (errno), or takes it again (0).
  virtual void handle_host_refusal(Rank /*to*/, int /*error*/, Instant /*now*/) {}
  /// Called when what had come has been given to handle_datagram(). So many datagrams, since the beginning,
  /// have found the socket's buffer full.
  virtual void after_receiving(std::uint64_t /*overflowed*/) {}
  /// Called after every event, before what follows from it is sent.
  virtual void before_sending(Instant /*now*/) {}
  /// Called after every event, when what follows from it has been sent.
  virtual void after_sending() {}
};

}  // namespace lbsp::transport
