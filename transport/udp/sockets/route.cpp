#include "transport/udp/sockets/route.hpp"

#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace lbsp::transport {
namespace {

constexpr int udp_header_bytes = 8;
constexpr int ipv4_header_bytes = 20;
constexpr int ipv6_header_bytes = 40;

/// The IPv4 address behind a mapped one (::ffff:a.b.c.d), which goes over IPv4 and its MTU.
SocketAddress unmapped(const SocketAddress& address) {
  if (address.storage.ss_family != AF_INET6) return address;
  const auto& ipv6 = *reinterpret_cast<const sockaddr_in6*>(address.get());
  if (!IN6_IS_ADDR_V4MAPPED(&ipv6.sin6_addr)) return address;
  SocketAddress result;
  result.length = sizeof(sockaddr_in);
  auto& ipv4 = *reinterpret_cast<sockaddr_in*>(result.get());
  ipv4.sin_family = AF_INET;
  ipv4.sin_port = ipv6.sin6_port;
  std::memcpy(&ipv4.sin_addr, &ipv6.sin6_addr.s6_addr[12], sizeof ipv4.sin_addr);
  return result;
}

}  // namespace

std::optional<std::size_t> longest_datagram(const SocketAddress& peer) {
  const SocketAddress address = unmapped(peer);
  const bool ipv6 = address.storage.ss_family == AF_INET6;
  const int route = ::socket(address.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (route < 0) return std::nullopt;
  int mtu = 0;
  socklen_t length = sizeof mtu;
  const bool known =
      ::connect(route, address.get(), address.length) == 0 &&
      getsockopt(route, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP, ipv6 ? IPV6_MTU : IP_MTU, &mtu, &length) == 0;
  ::close(route);
  const int headers = udp_header_bytes + (ipv6 ? ipv6_header_bytes : ipv4_header_bytes);
  if (!known || mtu <= headers) return std::nullopt;
  return static_cast<std::size_t>(mtu - headers);
}

}  // namespace lbsp::transport
