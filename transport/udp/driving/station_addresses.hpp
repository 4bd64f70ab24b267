#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "transport/membership/callers.hpp"
#include "transport/udp/sockets/socket_address.hpp"

namespace lbsp::transport {

/// Where the processes of a job are, by station: as told at first, then where the newest datagram of each came from.
class StationAddresses {
 public:
  /// An address of no length: it is not known where that one is.
  explicit StationAddresses(std::vector<SocketAddress> told) : addresses_(std::move(told)) {}

  /// There are none from this one on that anything was told of, or heard.
  Station stations() const { return static_cast<Station>(addresses_.size()); }
  bool has(Station station) const {
    const auto place = static_cast<std::size_t>(station);
    return place < addresses_.size() && addresses_[place].length > 0;
  }
  const SocketAddress& of(Station station) const { return addresses_[static_cast<std::size_t>(station)]; }
  /// That one's newest datagram came from there: a NAT has given it another port, or its host has another address; or
  /// it is a new process. Returns whether that is news.
  bool follow(Station station, const SocketAddress& to) {
    const auto place = static_cast<std::size_t>(station);
    if (place >= addresses_.size()) addresses_.resize(place + 1);
    if (addresses_[place] == to) return false;
    addresses_[place] = to;
    return true;
  }

 private:
  std::vector<SocketAddress> addresses_;
};

}  // namespace lbsp::transport
