#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "transport/membership/callers.hpp"
#include "transport/udp/sockets/socket_address.hpp"
#include "transport/whereto.hpp"

namespace lbsp::transport {

/// Where the processes of a job are, by station: as told at first, or where the first datagram of each came from; later
/// where those have answered that are heard from elsewhere.
class StationAddresses {
 public:
  /// An address of no length: it is not known where that one is.
  explicit StationAddresses(const std::vector<SocketAddress>& told) {
    for (const SocketAddress& address : told)
      places_.push_back({.known = address});
  }

  /// There are none from this one on that anything was told of, or heard.
  Station stations() const { return static_cast<Station>(places_.size()); }
  bool has(Station station) const {
    const auto place = static_cast<std::size_t>(station);
    return place < places_.size() && places_[place].known.length > 0;
  }
  const SocketAddress& of(Station station, Whereto whereto = Whereto::known) const {
    const Place& place = places_[static_cast<std::size_t>(station)];
    const bool elsewhere = whereto == Whereto::asked || (whereto == Whereto::newest && place.heard_elsewhere);
    return elsewhere && place.asked.length > 0 ? place.asked : place.known;
  }

  /// Where a datagram came from.
  enum class From {
    known,  ///< where that one is
    first,  ///< it was not known where that one is, which is there
    elsewhere,  ///< a NAT has given it another port, or its host has another address, or somebody copies its datagrams;
                ///< or it is a new process. It is to be asked there …
    asked  ///< … as it is already
  };
  /// That one's newest datagram came from there.
  From heard(Station station, const SocketAddress& from) {
    const auto at = static_cast<std::size_t>(station);
    if (at >= places_.size()) places_.resize(at + 1);
    Place& place = places_[at];
    place.heard_elsewhere = false;
    if (place.known == from) {
      if (place.asked.length > 0) place.asked = {};
      return From::known;
    }
    if (place.known.length == 0) {
      place.known = from;
      return From::first;
    }
    place.heard_elsewhere = true;
    if (place.asked == from) return From::asked;
    place.asked = from;
    return From::elsewhere;
  }
  /// It is where it is asked, or it has knocked from there. Returns whether that is news: not if it was heard where it
  /// was known to be meanwhile.
  bool move(Station station) {
    Place& place = places_[static_cast<std::size_t>(station)];
    if (place.asked.length == 0) return false;
    place.known = std::exchange(place.asked, {});
    place.heard_elsewhere = false;
    return true;
  }

 private:
  struct Place {
    SocketAddress known;
    SocketAddress asked = {};
    bool heard_elsewhere = false;  ///< the newest datagram came from there
  };
  std::vector<Place> places_;
};

}  // namespace lbsp::transport
