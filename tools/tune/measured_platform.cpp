#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <span>

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
          .loss = pair.loss,
          .loss_after_loss = std::nullopt,
          .round_trip = pair.round_trip.median,
          .bandwidth = pair.bandwidth};
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
        if (from == to) continue;
        const auto& pair = network.pair(static_cast<int>(from), static_cast<int>(to), usual_packet_size);
        costs_[from * hosts_ + to] =
            model::tuning::estimate(program, 0, path_like(pair), {.copies = 2, .repair = {}}).communication;
      }
    }
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
      : profile_(profile),
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
                       .loss = worst.loss.worst,
                       .loss_after_loss = worst.loss_after_loss.worst,
                       .round_trip = worst.round_trip.worst,
                       .bandwidth = worst.bandwidth.worst,
                       .fragmented = worst.fragmented});
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
    for (const int host : places)
      names.push_back(profile_.hosts[static_cast<std::size_t>(host)].name);
    return names;
  }

  std::vector<std::string> warnings(double nodes) const override {
    constexpr std::uint64_t enough = 1000;
    if (nodes < 2) return {};
    const auto summary = network_.between(chosen(nodes), usual_packet_size);
    if (summary.fewest_samples == 0 || summary.fewest_samples >= enough) return {};
    return {fmt::format("the loss of some path was measured with {} datagrams only: measure it with more",
                        summary.fewest_samples)};
  }

 private:
  std::span<const int> chosen(double nodes) const {
    return std::span(order_).first(static_cast<std::size_t>(nodes));
  }

  /// Those that lbsp can send and that every path was measured with, or else the usual one.
  std::vector<int> sizes(double nodes) const {
    std::vector<int> sizes = network_.common_packet_sizes(chosen(nodes));
    std::erase_if(sizes, [](int size) { return size < static_cast<int>(transport::min_datagram_bytes); });
    if (sizes.empty()) sizes.push_back(usual_packet_size);
    return sizes;
  }

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
