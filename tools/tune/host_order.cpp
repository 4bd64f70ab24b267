#include "tools/tune/host_order.hpp"

#include <algorithm>
#include <cstddef>
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

/// Of many hosts most pairs are not known: only those that are, or failed, take memory.
class HostOrder {
 public:
  HostOrder(const profile::NetworkView& network, const Algorithm& algorithm, const std::vector<double>& rates)
      : hosts_(rates.size()) {
    model::tuning::UsualTimes usual(plan::protocol());
    const double nodes = algorithm.admissible_nodes(static_cast<double>(hosts_.size())).back();
    for (std::size_t from = 0; from < hosts_.size(); ++from)
      hosts_[from].share = algorithm.on(nodes, rates[from]).parallel_seconds;
    const auto cost = [&](int from, int to) {
      const auto of = static_cast<std::size_t>(from);
      const auto& pair = network.pair(from, to, profile::usual_packet_size);
      return usual.of(algorithm.on(nodes, rates[of]), path_like(pair)) - hosts_[of].share;
    };
    for (const profile::PairProfile& pair : network.profile().pairs)
      if (&network.pair(pair.from, pair.to, profile::usual_packet_size) == &pair)
        worst_ = std::max(worst_, cost(pair.from, pair.to));
    for (const auto& [left, right] : network.known()) {
      const double both = cost(left, right) + cost(right, left);
      at(left).known.push_back({right, both});
      at(right).known.push_back({left, both});
    }
    for (const auto& [pair, failure] : network.failed()) {
      at(pair.first).cut.push_back(pair.second);
      at(pair.second).cut.push_back(pair.first);
    }
    for (Host& host : hosts_)
      sum_up(host);
  }

  std::vector<int> best_first() {
    std::vector<int> left(hosts_.size());
    std::iota(left.begin(), left.end(), 0);
    std::vector<int> worst_first;
    while (!left.empty()) {
      const auto others = static_cast<double>(left.size() - 1);
      // Of equals the last one goes.
      const auto worst = std::ranges::max_element(left.rbegin(), left.rend(), {},
                                                  [&](int host) { return cost(at(host), others); });
      if (at(*worst).cuts == 0) worst_first.push_back(*worst);
      remove(*worst);
      left.erase(std::next(worst).base());
    }
    return {worst_first.rbegin(), worst_first.rend()};
  }

 private:
  struct Known {
    int host;
    double cost;  ///< of the paths there and back
  };
  struct Host {
    double share = 0;          ///< seconds of computing
    std::vector<Known> known;  ///< the others to which its paths are known, in order
    std::vector<int> cut;      ///< those to which nothing passes
    bool gone = false;
    // Of those that are left:
    double sum = 0;  ///< of the costs to known ones
    double count = 0;
    int cuts = 0;
  };

  Host& at(int host) { return hosts_[static_cast<std::size_t>(host)]; }

  void sum_up(Host& host) {
    host.sum = 0;
    host.count = 0;
    for (const Known& other : host.known) {
      if (at(other.host).gone) continue;
      host.sum += other.cost;
      ++host.count;
    }
    host.cuts = static_cast<int>(std::ranges::count_if(host.cut, [&](int other) { return !at(other).gone; }));
  }

  void remove(int host) {
    at(host).gone = true;
    for (const Known& other : at(host).known)
      if (!at(other.host).gone) sum_up(at(other.host));
    for (const int other : at(host).cut)
      if (!at(other).gone) sum_up(at(other));
  }

  /// To how many of the others nothing passes; and seconds. What is not known counts as the worst that is.
  std::pair<int, double> cost(const Host& host, double others) const {
    const double sum = host.sum + 2 * worst_ * (others - host.count);
    return {host.cuts, host.share + (others > 0 ? sum / (2 * others) : 0)};
  }

  std::vector<Host> hosts_;
  double worst_ = 0;
};

}  // namespace

std::vector<int> order_of_hosts(const profile::NetworkView& network, const Algorithm& algorithm,
                                const std::vector<double>& rates) {
  return HostOrder(network, algorithm, rates).best_first();
}

}  // namespace lbsp::tune
