#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <span>

#include "lbsp/plan/protocol.hpp"
#include "model/tuning/setting.hpp"
#include "tools/profile/network_view.hpp"
#include "tools/tune/platform.hpp"
#include "transport/error.hpp"
#include "transport/options.hpp"

namespace lbsp::tune {
namespace {

using model::tuning::PacketPath;
using profile::Profile;

constexpr int usual_packet_size = 1400;
/// What arrives whole on a path of which nothing better is known: an Ethernet's MTU without IPv4's headers.
constexpr int ethernet_payload = 1472;
constexpr double near_enough = 0.9;

std::vector<double> rates_of(const Profile& profile, const Algorithm& algorithm,
                             std::optional<double> given) {
  std::vector<double> rates;
  for (const profile::HostProfile& host : profile.hosts) {
    const auto rate = given ? given : algorithm.rate_of(host);
    if (!rate)
      throw UsageError(
          fmt::format("the profile does not say how fast host {} computes this: give --flops, or measure it "
                      "with lbsp probe",
                      host.name));
    rates.push_back(*rate);
  }
  return rates;
}

PacketPath path_like(const profile::PairProfile& pair) {
  return {.packet_bytes = static_cast<double>(std::max(pair.packet_size, 256)),
          .bandwidth = pair.bandwidth,
          .path = {.round_trip = pair.round_trip.median, .loss = pair.loss}};
}

bool was_reached(const Profile& profile, int host) {
  return std::ranges::any_of(profile.pairs,
                             [host](const auto& pair) { return pair.from == host || pair.to == host; });
}

/// The hosts to or from which something was measured, and what was. Throws UsageError if there are none.
Profile reached(const Profile& whole) {
  Profile part{.measured_at = whole.measured_at, .hosts = {}, .pairs = {}, .failed = {}};
  const int hosts = static_cast<int>(whole.hosts.size());
  std::vector<int> places(whole.hosts.size(), -1);
  for (int host = 0; host < hosts; ++host) {
    if (hosts > 1 && !was_reached(whole, host)) continue;
    places[static_cast<std::size_t>(host)] = static_cast<int>(part.hosts.size());
    part.hosts.push_back(whole.hosts[static_cast<std::size_t>(host)]);
  }
  if (part.hosts.empty())
    throw UsageError("nothing was measured between these hosts: measure them with lbsp probe --hosts");
  for (profile::PairProfile pair : whole.pairs) {
    pair.from = places[static_cast<std::size_t>(pair.from)];
    pair.to = places[static_cast<std::size_t>(pair.to)];
    part.pairs.push_back(pair);
  }
  return part;
}

/// "a - b (the reason)", in the order of the profile.
std::string name_of(const Profile& profile, std::pair<int, int> pair) {
  std::string text = fmt::format("{} - {}", profile.hosts[static_cast<std::size_t>(pair.first)].name,
                                 profile.hosts[static_cast<std::size_t>(pair.second)].name);
  for (const profile::FailedPair& failed : profile.failed)
    if (std::minmax(failed.from, failed.to) == std::minmax(pair.first, pair.second))
      return fmt::format("{} ({})", text, failed.reason);
  return text;
}

/// What a reader must know of pairs that the profile lacks.
std::vector<std::string> warnings_of(const Profile& whole) {
  constexpr std::size_t most = 3;
  std::vector<std::string> warnings;
  std::vector<std::string> pairs;
  for (const auto& pair : profile::NetworkView(whole).missing())
    if (was_reached(whole, pair.first) && was_reached(whole, pair.second))
      pairs.push_back(name_of(whole, pair));
  for (int host = 0; host < static_cast<int>(whole.hosts.size()); ++host)
    if (whole.hosts.size() > 1 && !was_reached(whole, host))
      warnings.push_back(fmt::format("host {} is left out: nothing was measured to or from it",
                                     whole.hosts[static_cast<std::size_t>(host)].name));
  if (pairs.empty()) return warnings;
  std::string list = pairs.front();
  for (std::size_t i = 1; i < std::min(pairs.size(), most); ++i)
    list += ", " + pairs[i];
  if (pairs.size() > most) list += fmt::format(" and {} more", pairs.size() - most);
  warnings.push_back(fmt::format(
      "not measured: {}: such a pair counts as the worst of the others; lbsp probe --resume measures it",
      list));
  return warnings;
}

/// The order in which hosts are worth taking.
class HostOrder {
 public:
  HostOrder(const profile::NetworkView& network, const Algorithm& algorithm, const std::vector<double>& rates)
      : hosts_(rates.size()), costs_(hosts_ * hosts_), shares_(hosts_) {
    const double nodes = algorithm.admissible_nodes(static_cast<double>(hosts_)).back();
    for (std::size_t from = 0; from < hosts_; ++from) {
      const model::tuning::Program program = algorithm.on(nodes, rates[from]);
      shares_[from] = program.parallel_seconds;
      for (std::size_t to = 0; to < hosts_; ++to) {
        if (!network.knows(static_cast<int>(from), static_cast<int>(to))) continue;
        const auto& pair = network.pair(static_cast<int>(from), static_cast<int>(to), usual_packet_size);
        costs_[from * hosts_ + to] =
            model::tuning::usual_seconds(program, path_like(pair), plan::protocol()) - shares_[from];
      }
    }
    suspect_unknown_paths(network);
  }

  std::vector<int> best_first() const {
    std::vector<int> left(hosts_);
    std::iota(left.begin(), left.end(), 0);
    std::vector<int> order(hosts_);
    for (std::size_t place = hosts_; place > 0; --place) {
      // Of equals the last one goes.
      const auto worst = std::ranges::max_element(left.rbegin(), left.rend(), {}, [&](int host) {
        return cost(static_cast<std::size_t>(host), left);
      });
      order[place - 1] = *worst;
      left.erase(std::next(worst).base());
    }
    return order;
  }

 private:
  /// A path that could not be measured counts as the worst that was.
  void suspect_unknown_paths(const profile::NetworkView& network) {
    const double worst = std::ranges::max(costs_);
    for (const auto& [left, right] : network.missing()) {
      const auto one = static_cast<std::size_t>(left);
      const auto other = static_cast<std::size_t>(right);
      costs_[one * hosts_ + other] = costs_[other * hosts_ + one] = worst;
    }
  }

  double cost(std::size_t host, const std::vector<int>& left) const {
    double sum = 0;
    for (const int each : left) {
      const auto other = static_cast<std::size_t>(each);
      if (other != host) sum += costs_[host * hosts_ + other] + costs_[other * hosts_ + host];
    }
    const auto paths = static_cast<double>(2 * (left.size() - 1));
    return shares_[host] + (paths > 0 ? sum / paths : 0);
  }

  std::size_t hosts_;
  std::vector<double> costs_;   ///< of the path from · hosts + to
  std::vector<double> shares_;  ///< seconds of computing
};

class MeasuredPlatform final : public Platform {
 public:
  MeasuredPlatform(const Profile& profile, const Algorithm& algorithm, std::optional<double> rate)
      : missing_(warnings_of(profile)),
        profile_(reached(profile)),
        network_(profile_),
        rates_(rates_of(profile_, algorithm, rate)),
        order_(HostOrder(network_, algorithm, rates_).best_first()) {}

  std::optional<double> most_nodes() const override { return static_cast<double>(order_.size()); }

  double rate(double nodes) const override {
    if (nodes == 1) return std::ranges::max(rates_);
    double slowest = rates_[static_cast<std::size_t>(order_.front())];
    for (const int host : chosen(nodes))
      slowest = std::min(slowest, rates_[static_cast<std::size_t>(host)]);
    return slowest;
  }

  std::vector<PacketPath> paths(double nodes) const override {
    if (nodes < 2) return {PacketPath{.packet_bytes = usual_packet_size, .bandwidth = 1}};
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
    constexpr std::uint64_t enough = 1000;
    std::vector<std::string> warnings = missing_;
    if (nodes < 2) return warnings;
    const auto summary = network_.between(chosen(nodes), usual_packet_size);
    if (summary.fewest_samples != 0 && summary.fewest_samples < enough)
      warnings.push_back(
          fmt::format("the loss of some path was measured with {} datagrams only: measure it with more",
                      summary.fewest_samples));
    return warnings;
  }

 private:
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
    if (sizes.empty()) return {known ? most : usual_packet_size};
    if (known && sizes.back() < near_enough * most) sizes.push_back(most);
    return sizes;
  }

  std::vector<std::string> missing_;
  Profile profile_;
  profile::NetworkView network_;
  std::vector<double> rates_;
  std::vector<int> order_;  ///< best first
};

}  // namespace

std::unique_ptr<Platform> make_measured_platform(const Profile& profile, const Algorithm& algorithm,
                                                 std::optional<double> rate) {
  return std::make_unique<MeasuredPlatform>(profile, algorithm, rate);
}

}  // namespace lbsp::tune
