#include "tools/launch/known_network.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "transport/counted.hpp"
#include "transport/error.hpp"
#include "transport/options.hpp"

namespace lbsp::launch {
namespace {

transport::Duration duration(double seconds) {
  return std::chrono::duration_cast<transport::Duration>(std::chrono::duration<double>(seconds));
}

std::vector<int> hosts_of_ranks(const profile::Profile& profile, const Placement& placement) {
  std::vector<int> host_of;
  if (!placement.over_hosts) {
    for (Rank rank = 0; rank < placement.size; ++rank)
      host_of.push_back(rank % static_cast<int>(profile.hosts.size()));
    return host_of;
  }
  std::vector<std::string> names;
  for (const PlacedHost& host : placement.hosts)
    names.push_back(host.name);
  const std::vector<int> places = match_hosts(profile, names);
  for (std::size_t i = 0; i < placement.hosts.size(); ++i)
    host_of.insert(host_of.end(), static_cast<std::size_t>(placement.hosts[i].ranks), places[i]);
  return host_of;
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
      host_of_(hosts_of_ranks(profile_, placement)),
      packet_size_(static_cast<int>(datagram_bytes)) {}

std::optional<std::size_t> KnownNetwork::largest_datagram() const {
  std::vector<int> hosts = host_of_;
  std::ranges::sort(hosts);
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  if (hosts.size() < 2) return std::nullopt;
  const auto bytes = network_.largest_datagram(hosts);
  if (!bytes) return std::nullopt;
  return std::max(static_cast<std::size_t>(*bytes), transport::min_datagram_bytes);
}

std::vector<std::optional<transport::PathForecast>> KnownNetwork::paths_from(Rank rank) const {
  const int from = host_of_[static_cast<std::size_t>(rank)];
  std::vector<std::optional<transport::PathForecast>> paths;
  for (const int to : host_of_) {
    paths.emplace_back();
    if (network_.knows(from, to)) paths.back() = forecast_of(network_.pair(from, to, packet_size_));
  }
  return paths;
}

std::optional<transport::BytesPerSecond> KnownNetwork::rate() const {
  std::optional<transport::BytesPerSecond> lowest;
  for (const int from : host_of_) {
    for (const int to : host_of_) {
      if (!network_.knows(from, to)) continue;
      const transport::BytesPerSecond rate{network_.pair(from, to, packet_size_).bandwidth};
      lowest = std::min(lowest.value_or(rate), rate);
    }
  }
  return lowest;
}

std::optional<transport::BytesPerSecond> KnownNetwork::rate_from(Rank rank) const {
  const int from = host_of_[static_cast<std::size_t>(rank)];
  std::optional<transport::BytesPerSecond> highest;
  for (const int to : host_of_) {
    if (!network_.knows(from, to)) continue;
    const transport::BytesPerSecond rate{network_.pair(from, to, packet_size_).bandwidth};
    highest = std::max(highest.value_or(rate), rate);
  }
  return highest;
}

}  // namespace lbsp::launch
