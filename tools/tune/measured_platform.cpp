#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <span>

#include "model/tuning/setting.hpp"
#include "tools/profile/network_view.hpp"
#include "tools/tune/host_order.hpp"
#include "tools/tune/platform.hpp"
#include "transport/counted.hpp"
#include "transport/error.hpp"
#include "transport/options.hpp"
#include "transport/probe/measurement.hpp"

namespace lbsp::tune {
namespace {

using model::tuning::PacketPath;
using profile::Profile;

/// What arrives whole on a path of which nothing better is known: an Ethernet's MTU without IPv4's headers.
constexpr int ethernet_payload = 1472;
constexpr double near_enough = 0.9;
/// The probe takes a fifth of a path to measure its loss; half of that where it found less.
constexpr double least_share_for_loss = 0.1;

std::vector<double> rates_of(const Profile& profile, const Algorithm& algorithm,
                             std::optional<double> given) {
  std::vector<double> rates;
  for (const profile::HostProfile& host : profile.hosts) {
    const auto rate = given ? given : algorithm.rate_of(host);
    if (!rate)
      throw UsageError(fmt::format(
          "the profile does not say how fast host {} computes this: measure it with lbsp probe, or "
          "give lbsp tune --flops",
          host.name));
    rates.push_back(*rate);
  }
  return rates;
}

/// By host: whether anything was measured to or from it. Of a profile of one host there is nothing to measure.
std::vector<bool> reached_of(const Profile& profile) {
  std::vector<bool> reached(profile.hosts.size(), profile.hosts.size() == 1);
  for (const profile::PairProfile& pair : profile.pairs)
    reached[static_cast<std::size_t>(pair.from)] = reached[static_cast<std::size_t>(pair.to)] = true;
  return reached;
}

/// The hosts to or from which something was measured, and what was. Throws UsageError if there are none.
Profile reached(const Profile& whole) {
  Profile part{.measured_at = whole.measured_at, .hosts = {}, .pairs = {}, .failed = {}};
  const std::vector<bool> was_reached = reached_of(whole);
  std::vector<int> places(whole.hosts.size(), -1);
  for (std::size_t host = 0; host < whole.hosts.size(); ++host) {
    if (!was_reached[host]) continue;
    places[host] = static_cast<int>(part.hosts.size());
    part.hosts.push_back(whole.hosts[host]);
  }
  if (part.hosts.empty())
    throw UsageError("nothing was measured between these hosts: measure them with lbsp probe --hosts");
  for (profile::PairProfile pair : whole.pairs) {
    pair.from = places[static_cast<std::size_t>(pair.from)];
    pair.to = places[static_cast<std::size_t>(pair.to)];
    part.pairs.push_back(pair);
  }
  for (profile::FailedPair failed : whole.failed) {
    failed.from = places[static_cast<std::size_t>(failed.from)];
    failed.to = places[static_cast<std::size_t>(failed.to)];
    if (failed.from >= 0 && failed.to >= 0) part.failed.push_back(failed);
  }
  return part;
}

/// So many pairs are named in a warning.
constexpr std::size_t most_named = 3;

/// What is wrong with so many pairs, of which the first few are named.
std::optional<std::string> warning_of(const char* what, const std::vector<std::string>& first,
                                      std::size_t pairs, const char* effect) {
  if (pairs == 0) return std::nullopt;
  std::string list = fmt::format("{}", fmt::join(first, ", "));
  if (pairs > first.size()) list += fmt::format(" and {} more", pairs - first.size());
  return fmt::format("{}: {}: {}; lbsp probe --resume measures {}", what, list, effect,
                     pairs == 1 ? "it" : "them");
}

std::string names_of(const Profile& profile, const profile::NetworkView::Pair& pair) {
  return fmt::format("{} - {}", profile.hosts[static_cast<std::size_t>(pair.first)].name,
                     profile.hosts[static_cast<std::size_t>(pair.second)].name);
}

/// What a reader must know of hosts and pairs that the profile lacks.
std::vector<std::string> warnings_of(const Profile& whole) {
  std::vector<std::string> warnings;
  const std::vector<bool> was_reached = reached_of(whole);
  std::vector<int> hosts;
  for (std::size_t host = 0; host < whole.hosts.size(); ++host) {
    if (was_reached[host]) {
      hosts.push_back(static_cast<int>(host));
    } else {
      warnings.push_back(
          fmt::format("host {} is left out: nothing was measured to or from it", whole.hosts[host].name));
    }
  }
  const profile::NetworkView network(whole);
  std::vector<std::string> failed;
  std::size_t failures = 0;
  for (const auto& [pair, failure] : network.failed()) {
    if (!was_reached[static_cast<std::size_t>(pair.first)] ||
        !was_reached[static_cast<std::size_t>(pair.second)])
      continue;
    if (++failures <= most_named)
      failed.push_back(fmt::format("{} ({})", names_of(whole, pair), failure->reason));
  }
  const std::size_t pairs = hosts.size() * (hosts.size() - 1) / 2;
  std::vector<std::string> unknown;
  for (const auto& pair : network.first_unknown(hosts, most_named))
    unknown.push_back(names_of(whole, pair));
  for (const auto& warning :
       {warning_of("could not be measured", failed, failures, "such hosts are never taken together"),
        warning_of("not measured", unknown, pairs - network.known().size() - failures,
                   "such a pair counts as the worst of the others")})
    if (warning) warnings.push_back(*warning);
  return warnings;
}

class MeasuredPlatform final : public Platform {
 public:
  MeasuredPlatform(const Profile& profile, const Algorithm& algorithm, std::optional<double> rate)
      : missing_(warnings_of(profile)),
        profile_(reached(profile)),
        network_(profile_),
        rates_(rates_of(profile_, algorithm, rate)),
        order_(order_of_hosts(network_, algorithm, rates_)) {}

  std::optional<double> most_nodes() const override { return static_cast<double>(order_.size()); }

  double rate(double nodes) const override {
    if (nodes == 1) return std::ranges::max(rates_);
    double slowest = rates_[static_cast<std::size_t>(order_.front())];
    for (const int host : chosen(nodes))
      slowest = std::min(slowest, rates_[static_cast<std::size_t>(host)]);
    return slowest;
  }

  std::vector<PacketPath> paths(double nodes) const override {
    if (nodes < 2) return {PacketPath{.packet_bytes = profile::usual_packet_size, .bandwidth = 1}};
    std::vector<PacketPath> paths;
    for (const int size : sizes(nodes)) {
      const profile::NetworkSummary worst = network_.between(chosen(nodes), size);
      paths.push_back({.packet_bytes = static_cast<double>(size),
                       .bandwidth = worst.bandwidth.worst,
                       .fragmented = worst.fragmented,
                       .path = {.round_trip = worst.round_trip.worst,
                                .loss = worst.loss.worst,
                                .loss_after_loss = worst.loss_after_loss.worst}});
    }
    return paths;
  }

  std::vector<std::string> hosts(double nodes) const override {
    std::vector<int> places;
    if (nodes == 1) {
      places.push_back(static_cast<int>(std::ranges::max_element(rates_) - rates_.begin()));
    } else {
      places.assign(chosen(nodes).begin(), chosen(nodes).end());
    }
    std::ranges::sort(places);
    std::vector<std::string> names;
    names.reserve(places.size());
    for (const int host : places)
      names.push_back(profile_.hosts[static_cast<std::size_t>(host)].name);
    return names;
  }

  std::vector<std::string> warnings(double nodes) const override {
    // As many as lbsp probe sends where nobody asks for more: a warning that everybody gets is none.
    const std::uint64_t enough = transport::probe::MeasurementPlan{}.count;
    std::vector<std::string> warnings = missing_;
    if (nodes < 2) return warnings;
    const auto summary = network_.between(chosen(nodes), profile::usual_packet_size);
    if (summary.fewest_samples != 0 && summary.fewest_samples < enough)
      warnings.push_back(fmt::format(
          "the loss of some path was measured with {} only: measure it with more, by lbsp probe --count {} {}",
          counted(summary.fewest_samples, "datagram"), enough, remeasuring(chosen(nodes), enough)));
    return warnings;
  }

 private:
  /// The rest of the command that measures with more what was measured with few: that count is not cut down where it
  /// takes long, so the time is not either.
  std::string remeasuring(std::span<const int> hosts, std::uint64_t enough) const {
    std::set<std::pair<int, int>> pairs;
    std::map<std::pair<int, int>, double> seconds;
    const auto is_chosen = [&](int host) { return std::ranges::find(hosts, host) != hosts.end(); };
    for (const profile::PairProfile& one : profile_.pairs) {
      if (!is_chosen(one.from) || !is_chosen(one.to)) continue;
      if (one.loss_sample != 0 && one.loss_sample < enough) pairs.insert(std::minmax(one.from, one.to));
      if (one.bandwidth > 0)
        seconds[{one.from, one.to}] +=
            static_cast<double>(enough) * one.packet_size / (least_share_for_loss * one.bandwidth);
    }
    std::vector<std::string> names;
    double longest = 0;
    for (const auto& [from, to] : pairs) {
      names.push_back(fmt::format("{}/{}", profile_.hosts[static_cast<std::size_t>(from)].name,
                                  profile_.hosts[static_cast<std::size_t>(to)].name));
      longest = std::max({longest, seconds[{from, to}], seconds[{to, from}]});
    }
    const int minutes = static_cast<int>(std::ceil(longest / 60)) + 1;
    return fmt::format("--time-limit {}min --hosts FILE --resume PROFILE --pairs {}", minutes,
                       fmt::join(names, ","));
  }

  std::span<const int> chosen(double nodes) const {
    return std::span(order_).first(static_cast<std::size_t>(nodes));
  }

  /// Those that lbsp can send unfragmented and that every path was measured with. If there is none near the
  /// largest that the paths take, that too, with the figures of the nearest.
  std::vector<int> sizes(double nodes) const {
    const auto known = network_.largest_datagram(chosen(nodes));
    const int least = static_cast<int>(transport::min_datagram_bytes);
    const int most = std::max(known.value_or(ethernet_payload), least);
    std::vector<int> sizes = network_.common_packet_sizes(chosen(nodes));
    std::erase_if(sizes, [&](int size) { return size < least || size > most; });
    if (sizes.empty()) return {known ? most : profile::usual_packet_size};
    if (known && sizes.back() < near_enough * most) sizes.push_back(most);
    return sizes;
  }

  std::vector<std::string> missing_;
  Profile profile_;
  profile::NetworkView network_;
  std::vector<double> rates_;
  std::vector<int> order_;  ///< best first; without hosts that cannot reach all of these
};

}  // namespace

std::unique_ptr<Platform> make_measured_platform(const Profile& profile, const Algorithm& algorithm,
                                                 std::optional<double> rate) {
  return std::make_unique<MeasuredPlatform>(profile, algorithm, rate);
}

}  // namespace lbsp::tune
