#include "transport/udp/sockets/own_addresses.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netinet/in.h>

#include "transport/error.hpp"

namespace lbsp::transport {
namespace {

std::vector<unsigned char> bytes_in(const sockaddr* address) {
  if (address == nullptr) return {};
  const auto copy = [](const auto& of) {
    const auto* const first = reinterpret_cast<const unsigned char*>(&of);
    return std::vector<unsigned char>(first, first + sizeof(of));
  };
  if (address->sa_family == AF_INET) return copy(reinterpret_cast<const sockaddr_in*>(address)->sin_addr);
  if (address->sa_family == AF_INET6) return copy(reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
  return {};
}

bool is_of_one_link(const OwnAddress& address) {
  if (address.family == AF_INET) return address.bytes[0] == 169 && address.bytes[1] == 254;
  return address.bytes[0] == 0xfe && (address.bytes[1] & 0xc0) == 0x80;
}

}  // namespace

bool OwnAddress::is_near(const std::string& other) const {
  std::array<unsigned char, 16> theirs{};
  if (::inet_pton(family, other.c_str(), theirs.data()) != 1 || mask.size() != bytes.size()) return false;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (((bytes[i] ^ theirs[i]) & mask[i]) != 0) return false;
  }
  return true;
}

std::vector<OwnAddress> own_addresses() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0)
    throw SystemError(std::string("the addresses of this host cannot be read: ") + std::strerror(errno) +
                      ": set LBSP_ADDRESS");
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
  std::vector<OwnAddress> out;
  for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
    if ((each->ifa_flags & IFF_UP) == 0 || (each->ifa_flags & IFF_LOOPBACK) != 0) continue;
    OwnAddress address{.text = "", .bytes = bytes_in(each->ifa_addr), .mask = bytes_in(each->ifa_netmask)};
    if (address.bytes.empty()) continue;
    address.family = each->ifa_addr->sa_family;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (::inet_ntop(address.family, address.bytes.data(), text.data(), text.size()) == nullptr) continue;
    address.text = text.data();
    if (!is_of_one_link(address)) out.push_back(std::move(address));
  }
  const auto is_ipv4 = [](const OwnAddress& address) { return address.family == AF_INET; };
  if (std::ranges::any_of(out, is_ipv4))
    std::erase_if(out, [&](const OwnAddress& address) { return !is_ipv4(address); });
  return out;
}

std::string address_to_reach(const std::vector<std::string>& theirs, const std::vector<OwnAddress>& own) {
  for (const std::string& each : theirs) {
    if (std::ranges::any_of(own, [&](const OwnAddress& address) { return address.is_near(each); }))
      return each;
  }
  return theirs.empty() ? std::string{} : theirs.front();
}

}  // namespace lbsp::transport
