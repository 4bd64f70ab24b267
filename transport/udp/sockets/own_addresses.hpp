#pragma once

#include <string>
#include <vector>

namespace lbsp::transport {

/// An address of one of this host's interfaces, and its network.
struct OwnAddress {
  std::string text;  ///< `10.0.0.3`, `2001:db8::3`
  int family = 0;    ///< AF_INET or AF_INET6
  std::vector<unsigned char> bytes;
  std::vector<unsigned char> mask;

  /// Whether the other address, as text, is in the same network.
  bool is_near(const std::string& other) const;
};

/// The addresses by which other hosts may reach this one: of interfaces that are up, without loopback and those that
/// mean something on one link only. IPv4 if there are any, else IPv6. Throws SystemError.
std::vector<OwnAddress> own_addresses();

/// Of the addresses of another host the one to send to: in a network that both are in, else the first; none of none.
std::string address_to_reach(const std::vector<std::string>& theirs, const std::vector<OwnAddress>& own);

}  // namespace lbsp::transport
