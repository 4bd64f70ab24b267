#include "transport/udp/sockets/own_host.hpp"

#include <algorithm>
#include <cstdint>
#include <netinet/in.h>
#include <sys/socket.h>

namespace lbsp::transport {
namespace {

/// Of the port's socket; of no length if the system does not tell.
SocketAddress bound_address(const UdpPort& port) {
  SocketAddress own;
  own.length = sizeof own.storage;
  if (::getsockname(port.native_handle(), own.get(), &own.length) != 0) return {};
  return own;
}

bool is_any(const SocketAddress& address) {
  if (address.length == 0) return false;
  if (address.storage.ss_family == AF_INET6)
    return IN6_IS_ADDR_UNSPECIFIED(&reinterpret_cast<const sockaddr_in6&>(address.storage).sin6_addr);
  return reinterpret_cast<const sockaddr_in&>(address.storage).sin_addr.s_addr == htonl(INADDR_ANY);
}

/// The same port at the loopback interface. An IPv4 address that is mapped for an IPv6 socket stays one.
SocketAddress at_loopback(SocketAddress address) {
  if (address.storage.ss_family != AF_INET6) {
    reinterpret_cast<sockaddr_in&>(address.storage).sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }
  auto& place = reinterpret_cast<sockaddr_in6&>(address.storage);
  place.sin6_scope_id = 0;
  if (IN6_IS_ADDR_V4MAPPED(&place.sin6_addr)) {
    constexpr std::uint8_t loopback[] = {127, 0, 0, 1};
    std::ranges::copy(loopback, place.sin6_addr.s6_addr + 12);
  } else {
    place.sin6_addr = in6addr_loopback;
  }
  return address;
}

}  // namespace

SocketAddress on_own_host(const UdpPort& port) {
  const SocketAddress bound = bound_address(port);
  return is_any(bound) ? at_loopback(bound) : bound;
}

SocketAddress of_neighbour(const UdpPort& port, const SocketAddress& told) {
  return is_any(bound_address(port)) ? at_loopback(told) : told;
}

}  // namespace lbsp::transport
