#include "transport/udp/sockets/socket_address.hpp"

#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>

#include "transport/error.hpp"

namespace lbsp::transport {
namespace {

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

using AddressList = std::unique_ptr<addrinfo, FreeAddresses>;

AddressList look_up(const std::string& host, std::uint16_t port, int family, int flags, int& error) {
  addrinfo hints{};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  return AddressList(error == 0 ? list : nullptr);
}

SocketAddress first_of(const addrinfo& list) {
  SocketAddress address;
  std::memcpy(&address.storage, list.ai_addr, list.ai_addrlen);
  address.length = list.ai_addrlen;
  return address;
}

}  // namespace

std::string to_string(const PeerAddress& address) {
  const bool bracketed = address.host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", bracketed ? "[" : "", address.host, bracketed ? "]" : "", address.port);
}

bool operator==(const SocketAddress& left, const SocketAddress& right) {
  if (left.storage.ss_family != right.storage.ss_family) return false;
  if (left.storage.ss_family == AF_INET) {
    const auto& one = reinterpret_cast<const sockaddr_in&>(left.storage);
    const auto& other = reinterpret_cast<const sockaddr_in&>(right.storage);
    return one.sin_port == other.sin_port && one.sin_addr.s_addr == other.sin_addr.s_addr;
  }
  const auto& one = reinterpret_cast<const sockaddr_in6&>(left.storage);
  const auto& other = reinterpret_cast<const sockaddr_in6&>(right.storage);
  return one.sin6_port == other.sin6_port && one.sin6_scope_id == other.sin6_scope_id &&
         std::memcmp(&one.sin6_addr, &other.sin6_addr, sizeof one.sin6_addr) == 0;
}

std::optional<SocketAddress> parse_ip_address(const std::string& address, std::uint16_t port) {
  int error = 0;
  const auto list = look_up(address, port, AF_UNSPEC, AI_NUMERICHOST, error);
  if (!list || address.empty()) return std::nullopt;
  return first_of(*list);
}

SocketAddress resolve(const PeerAddress& address, int family) {
  int error = 0;
  const auto list = look_up(address.host, address.port, family, family == AF_INET6 ? AI_V4MAPPED : 0, error);
  if (!list) {
    const auto interface = address.host.find('%');
    if (interface != std::string::npos)
      throw SystemError(
          fmt::format("address {}: no interface of this host is called {}: see ip link there, and call it "
                      "alike on all hosts",
                      address.host, address.host.substr(interface + 1)));
    throw SystemError(
        fmt::format("host '{}' has no {} address ({}): check its name and the family of this rank's address",
                    address.host, family == AF_INET6 ? "IPv6" : "IPv4", gai_strerror(error)));
  }
  return first_of(*list);
}

}  // namespace lbsp::transport
