#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tools/launch/placement.hpp"
#include "tools/profile/network_view.hpp"
#include "tools/profile/profile.hpp"
#include "transport/redundancy.hpp"
#include "transport/units.hpp"

namespace lbsp::launch {

/// Which of a profile's hosts each of `names` is: by name if all are in the profile, by order if none is.
/// Throws UsageError, which names a host, if only some are, or the profile has fewer hosts.
std::vector<int> match_hosts(const profile::Profile& profile, const std::vector<std::string>& names);

/// What a profile says of the paths between a job's ranks, before the job has measured anything.
class KnownNetwork {
 public:
  /// Hosts are matched by match_hosts(). A job that is not spread over hosts rehearses: its ranks take the
  /// profile's hosts by turns. `datagram_bytes`: the entries nearest to that size count.
  KnownNetwork(profile::Profile profile, const Placement& placement, std::size_t datagram_bytes);
  KnownNetwork(const KnownNetwork&) = delete;
  KnownNetwork& operator=(const KnownNetwork&) = delete;

  /// The largest UDP payload that all paths between the job's hosts take unfragmented, at least the least
  /// that lbsp sends; none if that was not measured.
  std::optional<std::size_t> largest_datagram() const;
  /// Of the paths from a rank, by rank; none to itself, to ranks on the same host of the profile, and where
  /// the profile has no figures.
  std::vector<std::optional<transport::PathForecast>> paths_from(Rank rank) const;
  /// The rate at which every host can send to every other: the lowest of all paths' bandwidths. None if all ranks are
  /// on one host, or nothing is known of the paths between theirs.
  std::optional<transport::BytesPerSecond> rate() const;
  /// The rate at which a rank's host can send: the highest bandwidth of its paths, as others may be slow where they
  /// end. None if nothing is known of these.
  std::optional<transport::BytesPerSecond> rate_from(Rank rank) const;

 private:
  profile::Profile profile_;
  profile::NetworkView network_;
  std::vector<int> host_of_;  ///< by rank: place in the profile
  int packet_size_;
};

}  // namespace lbsp::launch
