#include "tools/tune/host_order.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "lbsp/plan/protocol.hpp"
#include "model/tuning/setting.hpp"

namespace lbsp::tune {
namespace {

constexpr int least_packet_size = 256;

model::tuning::PacketPath path_like(const profile::PairProfile& pair) {
  return {.packet_bytes = static_cast<double>(std::max(pair.packet_size, least_packet_size)),
          .bandwidth = pair.bandwidth,
          .path = {.round_trip = pair.round_trip.median, .loss = pair.loss}};
}

class HostOrder {
 public:
  HostOrder(const profile::NetworkView& network, const Algorithm& algorithm, const std::vector<double>& rates)
      : hosts_(rates.size()), costs_(hosts_ * hosts_), cut_(hosts_ * hosts_), shares_(hosts_) {
    model::tuning::UsualTimes usual(plan::protocol());
    const double nodes = algorithm.admissible_nodes(static_cast<double>(hosts_)).back();
    for (std::size_t from = 0; from < hosts_; ++from) {
      const model::tuning::Program program = algorithm.on(nodes, rates[from]);
      shares_[from] = program.parallel_seconds;
      for (std::size_t to = 0; to < hosts_; ++to) {
        if (!network.knows(static_cast<int>(from), static_cast<int>(to))) continue;
        const auto& pair =
            network.pair(static_cast<int>(from), static_cast<int>(to), profile::usual_packet_size);
        costs_[from * hosts_ + to] = usual.of(program, path_like(pair)) - shares_[from];
      }
    }
    suspect_unknown_paths(network);
  }

  std::vector<int> best_first() const {
    std::vector<int> left(hosts_);
    std::iota(left.begin(), left.end(), 0);
    std::vector<int> worst_first;
    while (!left.empty()) {
      // Of equals the last one goes.
      const auto worst = std::ranges::max_element(left.rbegin(), left.rend(), {}, [&](int host) {
        return cost(static_cast<std::size_t>(host), left);
      });
      if (cost(static_cast<std::size_t>(*worst), left).first == 0) worst_first.push_back(*worst);
      left.erase(std::next(worst).base());
    }
    return {worst_first.rbegin(), worst_first.rend()};
  }

 private:
  void suspect_unknown_paths(const profile::NetworkView& network) {
    const double worst = std::ranges::max(costs_);
    for (const auto& [left, right] : network.missing()) {
      const auto one = static_cast<std::size_t>(left);
      const auto other = static_cast<std::size_t>(right);
      costs_[one * hosts_ + other] = costs_[other * hosts_ + one] = worst;
      cut_[one * hosts_ + other] = cut_[other * hosts_ + one] = network.failure(left, right) != nullptr;
    }
  }

  /// To how many of the others nothing passes; and seconds.
  std::pair<int, double> cost(std::size_t host, const std::vector<int>& left) const {
    int cut = 0;
    double sum = 0;
    for (const int each : left) {
      const auto other = static_cast<std::size_t>(each);
      if (other == host) continue;
      cut += cut_[host * hosts_ + other] ? 1 : 0;
      sum += costs_[host * hosts_ + other] + costs_[other * hosts_ + host];
    }
    const auto paths = static_cast<double>(2 * (left.size() - 1));
    return {cut, shares_[host] + (paths > 0 ? sum / paths : 0)};
  }

  std::size_t hosts_;
  std::vector<double> costs_;   ///< of the path from · hosts + to
  std::vector<bool> cut_;       ///< likewise: whether its measurement failed
  std::vector<double> shares_;  ///< seconds of computing
};

}  // namespace

std::vector<int> order_of_hosts(const profile::NetworkView& network, const Algorithm& algorithm,
                                const std::vector<double>& rates) {
  return HostOrder(network, algorithm, rates).best_first();
}

}  // namespace lbsp::tune
