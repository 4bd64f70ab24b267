#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/launch/places/placement.hpp"
#include "tools/profile/network_view.hpp"
#include "tools/profile/profile.hpp"
#include "transport/redundancy.hpp"
#include "transport/units.hpp"

namespace lbsp::launch::network {

/// Which of a profile's hosts each of `names` is: by name if all are in the profile, by order if none is.
/// Throws UsageError, which names a host, if only some are, or the profile has fewer hosts.
std::vector<int> match_hosts(const profile::Profile& profile, const std::vector<std::string>& names);

/// What a profile says of the paths between a job's ranks, before the job has measured anything.
class KnownNetwork {
 public:
  /// Hosts are matched by match_hosts(). A job that is not spread over hosts rehearses: its ranks take the
  /// profile's hosts by turns. `datagram_bytes`: the entries nearest to that size count.
  KnownNetwork(profile::Profile profile, const places::Placement& placement, std::size_t datagram_bytes);
  KnownNetwork(const KnownNetwork&) = delete;
  KnownNetwork& operator=(const KnownNetwork&) = delete;

  /// The largest UDP payload that all paths between the job's hosts take unfragmented, at least the least
  /// that lbsp sends; none if that was not measured.
  std::optional<std::size_t> largest_datagram() const;

  /// A host's place in the profile; none: the profile does not have it.
  using Place = std::optional<int>;
  using Paths = std::vector<std::optional<transport::PathForecast>>;
  /// By rank, at the job's start.
  const std::vector<Place>& places() const { return places_; }
  /// Of a process that begins later, in that rank's place or as one more: where hosts were matched by name, by its
  /// host's; or as those of the start were matched.
  Place place_of(Rank rank, const places::PlacedHost& host) const;

  /// Of the paths from there, by rank, if the ranks are at those places; none to ranks on the same host of the
  /// profile, so none to itself, and where the profile has no figures.
  Paths paths(Place from, const std::vector<Place>& to) const;
  /// The same at the job's start.
  Paths paths_from(Rank rank) const { return paths(place_at_start(rank), places_); }
  /// The rate at which every host can send to every other: the lowest of all paths' bandwidths. None if all ranks are
  /// on one host, or nothing is known of the paths between theirs.
  std::optional<transport::BytesPerSecond> rate() const;
  /// The rate at which a host can send: the highest bandwidth of its paths, as others may be slow where they end. None
  /// if nothing is known of these.
  std::optional<transport::BytesPerSecond> rate(Place from, const std::vector<Place>& to) const;
  /// The same of a rank's host at the job's start.
  std::optional<transport::BytesPerSecond> rate_from(Rank rank) const {
    return rate(place_at_start(rank), places_);
  }

 private:
  Place place_at_start(Rank rank) const { return places_[static_cast<std::size_t>(rank)]; }
  const profile::PairProfile* pair(Place from, Place to) const;

  profile::Profile profile_;
  profile::NetworkView network_;
  bool over_hosts_;
  std::map<std::string, int> matched_;  ///< by the names of the hosts of the start
  std::vector<Place> places_;           ///< by rank
  int packet_size_;
};

}  // namespace lbsp::launch::network
