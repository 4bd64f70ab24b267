#include "tools/launch/network/known_network.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "transport/counted.hpp"
#include "transport/error.hpp"
#include "transport/options.hpp"

namespace lbsp::launch::network {

using places::PlacedHost;
using places::Placement;

namespace {

transport::Duration duration(double seconds) {
  return std::chrono::duration_cast<transport::Duration>(std::chrono::duration<double>(seconds));
}

std::vector<std::string> names_of_hosts(const Placement& placement) {
  std::vector<std::string> names;
  for (const PlacedHost& host : placement.hosts)
    names.push_back(host.name);
  return names;
}

/// By name. None of a job that rehearses.
std::map<std::string, int> matched_hosts(const profile::Profile& profile, const Placement& placement) {
  std::map<std::string, int> matched;
  if (!placement.over_hosts) return matched;
  const auto names = names_of_hosts(placement);
  const std::vector<int> places = match_hosts(profile, names);
  for (std::size_t i = 0; i < names.size(); ++i)
    matched.emplace(names[i], places[i]);
  return matched;
}

/// How many datagrams of a job's own outweigh a profile: what was measured some time ago may have changed.
constexpr double most_weight = 500;
constexpr double weight_of_unknown_sample = 100;

transport::PathForecast forecast_of(const profile::PairProfile& pair) {
  // lbsp sends copies RTT/16 apart, 2 ms at most; for a normal distribution the 99th percentile lies three
  // mean deviations above the median.
  const double spacing = std::min(pair.round_trip.median / 16, 2e-3);
  return {.loss = pair.loss,
          .loss_after_loss = profile::loss_after_loss(pair, spacing),
          .loss_sample = pair.loss_sample == 0 ? weight_of_unknown_sample
                                               : std::min(static_cast<double>(pair.loss_sample), most_weight),
          .round_trip = duration(pair.round_trip.median),
          .round_trip_variation = duration((pair.round_trip.p99 - pair.round_trip.median) / 3),
          .bandwidth = {pair.bandwidth}};
}

}  // namespace

std::vector<int> match_hosts(const profile::Profile& profile, const std::vector<std::string>& names) {
  std::vector<int> places;
  std::string missing;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(profile.hosts, name, &profile::HostProfile::name);
    if (found == profile.hosts.end()) {
      missing = name;
    } else {
      places.push_back(static_cast<int>(found - profile.hosts.begin()));
    }
  }
  if (missing.empty()) return places;
  if (!places.empty())
    throw UsageError(
        fmt::format("the profile has no host {}: measure it too, or leave it out of the hosts", missing));
  if (names.size() > profile.hosts.size())
    throw UsageError(fmt::format("the profile has {}, the job {}: measure them all with lbsp probe --hosts",
                                 counted(profile.hosts.size(), "host"), names.size()));
  for (std::size_t place = 0; place < names.size(); ++place)
    places.push_back(static_cast<int>(place));
  return places;
}

KnownNetwork::KnownNetwork(profile::Profile profile, const Placement& placement, std::size_t datagram_bytes)
    : profile_(std::move(profile)),
      network_(profile_),
      over_hosts_(placement.over_hosts),
      matched_(matched_hosts(profile_, placement)),
      packet_size_(static_cast<int>(datagram_bytes)) {
  for (const PlacedHost& host : placement.hosts) {
    for (Rank rank = host.first_rank; rank < host.first_rank + host.ranks; ++rank)
      places_.push_back(place_of(rank, host));
  }
}

KnownNetwork::Place KnownNetwork::place_of(Rank rank, const PlacedHost& host) const {
  if (!over_hosts_) return rank % static_cast<int>(profile_.hosts.size());
  if (const auto found = matched_.find(host.name); found != matched_.end()) return found->second;
  const auto named = std::ranges::find(profile_.hosts, host.name, &profile::HostProfile::name);
  if (named == profile_.hosts.end()) return std::nullopt;
  return static_cast<int>(named - profile_.hosts.begin());
}

std::optional<std::size_t> KnownNetwork::largest_datagram() const {
  std::vector<int> hosts;
  for (const Place place : places_)
    if (place) hosts.push_back(*place);
  std::ranges::sort(hosts);
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  if (hosts.size() < 2) return std::nullopt;
  const auto bytes = network_.largest_datagram(hosts);
  if (!bytes) return std::nullopt;
  return std::max(static_cast<std::size_t>(*bytes), transport::min_datagram_bytes);
}

/// Null: it is not known.
const profile::PairProfile* KnownNetwork::pair(Place from, Place to) const {
  if (!from || !to || !network_.knows(*from, *to)) return nullptr;
  return &network_.pair(*from, *to, packet_size_);
}

KnownNetwork::Paths KnownNetwork::paths(Place from, const std::vector<Place>& to) const {
  Paths paths;
  for (const Place end : to) {
    paths.emplace_back();
    if (const auto* const known = pair(from, end)) paths.back() = forecast_of(*known);
  }
  return paths;
}

std::optional<transport::BytesPerSecond> KnownNetwork::rate() const {
  std::optional<transport::BytesPerSecond> lowest;
  for (const Place from : places_) {
    for (const Place to : places_) {
      const auto* const known = pair(from, to);
      if (known == nullptr) continue;
      const transport::BytesPerSecond rate{known->bandwidth};
      lowest = std::min(lowest.value_or(rate), rate);
    }
  }
  return lowest;
}

std::optional<transport::BytesPerSecond> KnownNetwork::rate(Place from, const std::vector<Place>& to) const {
  std::optional<transport::BytesPerSecond> highest;
  for (const Place end : to) {
    const auto* const known = pair(from, end);
    if (known == nullptr) continue;
    const transport::BytesPerSecond rate{known->bandwidth};
    highest = std::max(highest.value_or(rate), rate);
  }
  return highest;
}

}  // namespace lbsp::launch::network
