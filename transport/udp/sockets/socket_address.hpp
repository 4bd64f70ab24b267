#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <sys/socket.h>

namespace lbsp::transport {

/// Where a rank's UDP port is, as the launcher tells it: a host name or IP address, and a port.
struct PeerAddress {
  std::string host;
  std::uint16_t port = 0;
  std::string name{};  ///< what the user calls the host, for error texts; may be empty
};

/// `10.0.0.3:4000`, `[::1]:4000`.
std::string to_string(const PeerAddress& address);

/// An address in the form that system calls take.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }

  /// Whether both name the same port of the same host.
  friend bool operator==(const SocketAddress& left, const SocketAddress& right);
};

/// Reads a literal IP address. Returns nullopt if it is not one.
std::optional<SocketAddress> parse_ip_address(const std::string& address, std::uint16_t port);

/// The address for a socket of `family`; an IPv4 address is mapped for an IPv6 socket. Asks the system's
/// resolver for names, which may take its time-outs. Throws SystemError if there is none.
SocketAddress resolve(const PeerAddress& address, int family);

}  // namespace lbsp::transport
