#include "transport/udp/batches/ecn_option.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <netinet/in.h>
#include <netinet/ip.h>

namespace lbsp::transport {
namespace {

int bits_of(Ecn ecn) {
  if (ecn == Ecn::capable) return IPTOS_ECN_ECT0;
  return ecn == Ecn::marked ? IPTOS_ECN_CE : IPTOS_ECN_NOT_ECT;
}

Ecn ecn_in(int type_of_service) {
  const int bits = type_of_service & IPTOS_ECN_MASK;
  if (bits == IPTOS_ECN_ECT0) return Ecn::capable;
  return bits == IPTOS_ECN_CE ? Ecn::marked : Ecn::none;
}

bool set(int socket, int level, int option, int value) {
  return setsockopt(socket, level, option, &value, sizeof value) == 0;
}

/// An IPv6 socket has both options: that of IPv4 counts for its IPv4 peers.
bool set_both(int socket, int option_of_ipv4, int option_of_ipv6, int value) {
  sockaddr_storage local{};
  socklen_t length = sizeof local;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&local), &length) != 0) return false;
  const bool ipv4 = set(socket, IPPROTO_IP, option_of_ipv4, value);
  return local.ss_family == AF_INET6 ? set(socket, IPPROTO_IPV6, option_of_ipv6, value) && ipv4 : ipv4;
}

bool is_ipv4(const SocketAddress& address) {
  if (address.storage.ss_family == AF_INET) return true;
  const auto& ipv6 = reinterpret_cast<const sockaddr_in6&>(address.storage);
  return IN6_IS_ADDR_V4MAPPED(&ipv6.sin6_addr);
}

/// Linux tells IPv4's as one byte, and IPv6's as an int.
int value_of(const cmsghdr& part) {
  int value = 0;
  std::memcpy(&value, CMSG_DATA(&part), std::min(sizeof value, part.cmsg_len - CMSG_LEN(0)));
  return value;
}

}  // namespace

bool mark_all(int socket, Ecn ecn) {
  if (set_both(socket, IP_TOS, IPV6_TCLASS, bits_of(ecn))) return true;
  // One of the two may have been granted.
  set_both(socket, IP_TOS, IPV6_TCLASS, IPTOS_ECN_NOT_ECT);
  return false;
}

bool ask_for_ecn(int socket) {
  return set_both(socket, IP_RECVTOS, IPV6_RECVTCLASS, 1);
}

void write_ecn(cmsghdr& part, const SocketAddress& to, Ecn ecn) {
  const bool ipv4 = is_ipv4(to);
  part.cmsg_level = ipv4 ? IPPROTO_IP : IPPROTO_IPV6;
  part.cmsg_type = ipv4 ? IP_TOS : IPV6_TCLASS;
  part.cmsg_len = CMSG_LEN(sizeof(int));
  const int bits = bits_of(ecn);
  std::memcpy(CMSG_DATA(&part), &bits, sizeof bits);
}

Ecn ecn_of(msghdr& message) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if ((part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_TOS) ||
        (part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_TCLASS))
      return ecn_in(value_of(*part));
  }
  return Ecn::unknown;
}

}  // namespace lbsp::transport
