#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transport/units.hpp"

namespace lbsp::transport {

/// A bound UDP socket. It is bound before the job's address table is made, so that its port can be in the
/// table. What arrives meanwhile waits in the socket's buffer.
class UdpPort {
 public:
  /// Binds an IPv4 or IPv6 address of this host, or the unspecified address (0.0.0.0, ::) for all of them.
  /// Port 0 is any free port. Throws UsageError if `address` is not an IP address, and SystemError if the
  /// system refuses.
  /// Buffers of `buffer_bytes` are asked for, which the system may not grant.
  static UdpPort bind(const std::string& address, std::uint16_t port, int buffer_bytes = usual_buffer_bytes);

  /// Takes over a socket that this class has made in another process. Throws SystemError if it is none.
  static UdpPort take(int socket);

  /// Holds some 3600 datagrams: 40 ms at 1 Gbit/s. Linux's default of 208 KiB holds 90.
  static constexpr int usual_buffer_bytes = 8 << 20;

  UdpPort(UdpPort&& other) noexcept;
  UdpPort& operator=(UdpPort&& other) noexcept;
  ~UdpPort();

  /// The port in use, never 0.
  std::uint16_t port() const { return port_; }
  /// AF_INET or AF_INET6.
  int family() const { return family_; }
  /// The buffer that the system granted for datagrams that wait to be read, in its own accounting (about
  /// twice the payload).
  int receive_buffer_bytes() const;
  /// The socket, non-blocking, which sends no fragments (they multiply loss); still owned by this object.
  int native_handle() const { return socket_; }
  /// Gives the socket away.
  int release() noexcept;

 private:
  friend std::vector<UdpPort> bind_for_ranks(const std::string& address, std::uint16_t port, Rank first,
                                             Rank count);
  UdpPort(int socket, int family) : socket_(socket), family_(family) {}

  /// A socket with its options, bound to nothing.
  static UdpPort open(const std::string& address, int buffer_bytes);
  void bind_to(const std::string& address, std::uint16_t port);
  void learn_address();

  int socket_ = -1;
  int family_ = 0;
  std::uint16_t port_ = 0;
};

/// Whether the socket may send datagrams in fragments, to IPv4 peers and, if it has an IPv6 address, to IPv6
/// peers. If not, what the kernel believes of the path does not count either: only the interface's MTU does.
/// What the system does not grant costs speed alone: large datagrams are refused one by one, as if lost.
void allow_fragments(int socket, int family, bool allowed);

}  // namespace lbsp::transport
