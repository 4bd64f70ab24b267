#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
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
    if (whereto == Whereto::newest && place.heard_elsewhere) return place.newest;
    if (whereto == Whereto::asked && !place.asked.empty()) return place.asked.back().address;
    return place.known;
  }

  /// Where a datagram came from.
  enum class From {
    known,        ///< where that one is
    known_again,  ///< likewise, but it was asked elsewhere meanwhile, which counts no more
    first,        ///< it was not known where that one is, which is there
    elsewhere,  ///< a NAT has given it another port, or its host has another address, or somebody copies its
                ///< datagrams; or it is a new process. It may be asked there …
    asked       ///< … as it was already
  };
  /// That one's newest datagram came from there, or a copy of one that has come before.
  From heard(Station station, const SocketAddress& from, bool copy = false) {
    const auto at = static_cast<std::size_t>(station);
    if (at >= places_.size()) places_.resize(at + 1);
    Place& place = places_[at];
    if (place.known == from) {
      // Who repeats old datagrams from where it was does not keep it from being found.
      if (copy) return From::known;
      place.heard_elsewhere = false;
      if (place.asked.empty()) return From::known;
      place.asked.clear();
      return From::known_again;
    }
    if (place.known.length == 0) {
      place.known = from;
      return From::first;
    }
    if (!copy) {
      place.heard_elsewhere = true;
      place.newest = from;
    }
    place.note(from, copy);
    const bool asked = std::ranges::any_of(place.asked, [&](const Asked& at) { return at.address == from; });
    return asked ? From::asked : From::elsewhere;
  }
  /// Whether that one's datagram that heard() was told of last, from elsewhere, is not the only one of the last ones
  /// from there.
  bool repeated(Station station) const { return places_[static_cast<std::size_t>(station)].repeated; }
  /// The question with this number goes there. Those that are asked later have higher ones, but in a later epoch.
  void asked(Station station, std::uint32_t question, const SocketAddress& where) {
    std::vector<Asked>& all = places_[static_cast<std::size_t>(station)].asked;
    if (!all.empty() && question <= all.back().question) all.clear();
    if (all.size() == most_asked) all.erase(all.begin());
    all.push_back({question, where});
  }
  /// It is where it was asked so. Returns whether that is news: not if it was heard where it was known to be meanwhile.
  bool move(Station station, std::uint32_t question) {
    Place& place = places_[static_cast<std::size_t>(station)];
    const auto there =
        std::ranges::find_if(place.asked, [&](const Asked& at) { return at.question == question; });
    if (there == place.asked.end()) return false;
    place.move(SocketAddress(there->address));
    return true;
  }
  /// It is where its newest datagram came from. Returns whether that is news.
  bool move_to_newest(Station station) {
    Place& place = places_[static_cast<std::size_t>(station)];
    if (!place.heard_elsewhere) return false;
    place.move(place.newest);
    return true;
  }

 private:
  static constexpr std::size_t most_asked = 16;
  static constexpr std::size_t most_recent = 4;

  struct Asked {
    std::uint32_t question;
    SocketAddress address;
  };
  struct Place {
    using Addresses = std::vector<SocketAddress>;

    SocketAddress known;
    bool heard_elsewhere = false;   ///< the newest datagram came from …
    SocketAddress newest = {};      ///< … there
    std::vector<Asked> asked = {};  ///< the last places, since it was heard where it is known to be

    std::array<Addresses, 2> recent = {};  ///< where it was heard elsewhere last, by whether copies
    bool repeated = false;

    void note(const SocketAddress& from, bool copy) {
      Addresses& addresses = recent[copy ? 1 : 0];
      repeated = std::ranges::find(addresses, from) != addresses.end();
      if (addresses.size() == most_recent) addresses.erase(addresses.begin());
      addresses.push_back(from);
    }
    void move(const SocketAddress& there) {
      known = there;
      heard_elsewhere = false;
      asked.clear();
    }
  };
  std::vector<Place> places_;
};

}  // namespace lbsp::transport
