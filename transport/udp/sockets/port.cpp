#include "transport/udp/sockets/port.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "transport/error.hpp"
#include "transport/udp/sockets/socket_address.hpp"

namespace lbsp::transport {
namespace {

void set_option(int socket, int level, int option, int value) {
  // Whatever is not granted costs speed, not correctness.
  static_cast<void>(setsockopt(socket, level, option, &value, sizeof value));
}

void set_buffers(int socket, int wanted_buffer_bytes) {
  // The plain option first: it is capped by the system's limit; the forcing one needs CAP_NET_ADMIN.
  set_option(socket, SOL_SOCKET, SO_RCVBUF, wanted_buffer_bytes);
  set_option(socket, SOL_SOCKET, SO_SNDBUF, wanted_buffer_bytes);
  set_option(socket, SOL_SOCKET, SO_RCVBUFFORCE, wanted_buffer_bytes);
  set_option(socket, SOL_SOCKET, SO_SNDBUFFORCE, wanted_buffer_bytes);
}

SocketAddress address_to_bind(const std::string& address, std::uint16_t port) {
  const auto local = parse_ip_address(address, port);
  if (!local) {
    throw UsageError(fmt::format("'{}' is not an IP address: write one such as 127.0.0.1 or ::1", address));
  }
  return *local;
}

[[noreturn]] void throw_missing(const std::string& address) {
  const bool loopback = address.starts_with("127.") || address == "::1";
  if (loopback)
    throw SystemError(
        fmt::format("no interface of this host has the address {0}, by which its processes reach each other: "
                    "give it to lo (ip address add {0}/{1} dev lo)",
                    address, address == "::1" ? 128 : 8));
  throw SystemError(fmt::format(
      "no interface of this host has the address {}: give one that it has, or 0.0.0.0 for all", address));
}

[[noreturn]] void throw_bind_error(const std::string& address, std::uint16_t port, int error) {
  if (error == EADDRINUSE) {
    throw SystemError(
        fmt::format("UDP port {} on {} is in use: choose another --port, or leave it out", port, address));
  }
  if (error == EADDRNOTAVAIL) throw_missing(address);
  if (error == EACCES) {
    throw SystemError(fmt::format("UDP port {} on {} may not be used: choose one above 1023", port, address));
  }
  throw SystemError(fmt::format("UDP port {} on {} cannot be used ({}): choose another", port, address,
                                std::strerror(error)));
}

}  // namespace

UdpPort UdpPort::open(const std::string& address, int buffer_bytes) {
  const int family = address_to_bind(address, 0).storage.ss_family;
  UdpPort opened(::socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), family);
  if (opened.socket_ < 0) {
    throw SystemError(fmt::format("no UDP socket ({}): close programs or raise the limit of open files",
                                  std::strerror(errno)));
  }
  if (family == AF_INET6) set_option(opened.socket_, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  allow_fragments(opened.socket_, family, false);
  set_buffers(opened.socket_, buffer_bytes);
  set_option(opened.socket_, SOL_SOCKET, SO_RXQ_OVFL, 1);
  return opened;
}

void UdpPort::bind_to(const std::string& address, std::uint16_t port) {
  const SocketAddress local = address_to_bind(address, port);
  if (::bind(socket_, local.get(), local.length) != 0) throw_bind_error(address, port, errno);
  learn_address();
}

void UdpPort::learn_address() {
  SocketAddress actual;
  actual.length = sizeof actual.storage;
  if (getsockname(socket_, actual.get(), &actual.length) != 0)
    throw SystemError(fmt::format("the UDP socket cannot be used ({})", std::strerror(errno)));
  family_ = actual.storage.ss_family;
  port_ = ntohs(family_ == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(actual.get())->sin6_port
                                    : reinterpret_cast<const sockaddr_in*>(actual.get())->sin_port);
}

UdpPort UdpPort::bind(const std::string& address, std::uint16_t port, int buffer_bytes) {
  UdpPort bound = open(address, buffer_bytes);
  bound.bind_to(address, port);
  return bound;
}

UdpPort UdpPort::take(int socket) {
  UdpPort taken(socket, 0);
  taken.learn_address();
  return taken;
}

UdpPort::UdpPort(UdpPort&& other) noexcept
    : socket_(other.release()), family_(other.family_), port_(other.port_) {}

UdpPort& UdpPort::operator=(UdpPort&& other) noexcept {
  if (this != &other) {
    if (socket_ >= 0) ::close(socket_);
    family_ = other.family_;
    port_ = other.port_;
    socket_ = other.release();
  }
  return *this;
}

UdpPort::~UdpPort() {
  if (socket_ >= 0) ::close(socket_);
}

int UdpPort::receive_buffer_bytes() const {
  int value = 0;
  socklen_t length = sizeof value;
  return getsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &value, &length) == 0 ? value : 0;
}

int UdpPort::release() noexcept {
  return std::exchange(socket_, -1);
}

void allow_fragments(int socket, int family, bool allowed) {
  if (family == AF_INET6) {
    set_option(socket, IPPROTO_IPV6, IPV6_MTU_DISCOVER, allowed ? IPV6_PMTUDISC_DONT : IPV6_PMTUDISC_PROBE);
  }
  // Of an IPv6 socket too, for its IPv4 peers.
  set_option(socket, IPPROTO_IP, IP_MTU_DISCOVER, allowed ? IP_PMTUDISC_DONT : IP_PMTUDISC_PROBE);
}

}  // namespace lbsp::transport
