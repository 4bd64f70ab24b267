#include "tools/profile/network_view.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

namespace lbsp::profile {
namespace {

/// lbsp sends copies RTT/16 apart, 2 ms at most (docs/protocol.md).
double copy_spacing(const PairProfile& pair) {
  return std::min(pair.round_trip.median / 16, 2e-3);
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

Spread largest_is_worst(std::vector<double> values) {
  return {std::ranges::max(values), median(values)};
}

Spread smallest_is_worst(std::vector<double> values) {
  return {std::ranges::min(values), median(values)};
}

/// What was measured, drawn to the path's own loss as if `trusted` losses more had shown that.
double shrunk(const PairProfile& pair, const SecondCopyLoss& measured) {
  constexpr double trusted = 30;
  if (measured.sample == 0) return measured.loss;
  const auto sample = static_cast<double>(measured.sample);
  return (sample * measured.loss + trusted * pair.loss) / (sample + trusted);
}

}  // namespace

NetworkView::NetworkView(const Profile& profile) : profile_(profile) {
  for (const PairProfile& pair : profile.pairs)
    entries_[static_cast<std::size_t>(pair.from) * profile.hosts.size() + static_cast<std::size_t>(pair.to)]
        .push_back(&pair);
  for (auto& [path, sizes] : entries_)
    std::ranges::sort(sizes, {}, &PairProfile::packet_size);
}

const std::vector<const PairProfile*>& NetworkView::entries(int from, int to) const {
  static const std::vector<const PairProfile*> unknown;
  const auto found =
      entries_.find(static_cast<std::size_t>(from) * profile_.hosts.size() + static_cast<std::size_t>(to));
  return found == entries_.end() ? unknown : found->second;
}

const PairProfile& NetworkView::pair(int from, int to, int packet_size) const {
  const auto distance = [&](const PairProfile* one) { return std::abs(one->packet_size - packet_size); };
  return **std::ranges::min_element(entries(from, to), {}, distance);
}

std::vector<NetworkView::Path> NetworkView::known_paths(std::span<const int> hosts) const {
  std::vector<Path> paths;
  if (hosts.size() * hosts.size() > entries_.size()) {
    std::vector<bool> asked(profile_.hosts.size());
    for (const int host : hosts)
      asked[static_cast<std::size_t>(host)] = true;
    for (const auto& [path, sizes] : entries_) {
      const PairProfile& one = *sizes.front();
      if (one.from != one.to && asked[static_cast<std::size_t>(one.from)] &&
          asked[static_cast<std::size_t>(one.to)])
        paths.emplace_back(one.from, one.to);
    }
  } else {
    for (const int from : hosts)
      for (const int to : hosts)
        if (knows(from, to)) paths.emplace_back(from, to);
  }
  if (!paths.empty()) return paths;
  for (const PairProfile& pair : profile_.pairs)
    paths.emplace_back(pair.from, pair.to);
  return paths;
}

std::vector<NetworkView::Pair> NetworkView::known() const {
  std::vector<Pair> pairs;
  for (const auto& [path, sizes] : entries_) {
    const Pair pair{sizes.front()->from, sizes.front()->to};
    if (pair.first < pair.second && knows(pair.second, pair.first)) pairs.push_back(pair);
  }
  std::ranges::sort(pairs);
  return pairs;
}

std::vector<std::pair<NetworkView::Pair, const FailedPair*>> NetworkView::failed() const {
  std::map<Pair, const FailedPair*> pairs;
  for (const FailedPair& one : profile_.failed)
    if (!knows_both(one.from, one.to)) pairs.try_emplace(std::minmax(one.from, one.to), &one);
  return {pairs.begin(), pairs.end()};
}

std::vector<NetworkView::Pair> NetworkView::first_unknown(std::span<const int> hosts,
                                                          std::size_t most) const {
  std::set<Pair> failures;
  for (const auto& [pair, failure] : failed())
    failures.insert(pair);
  std::vector<Pair> pairs;
  for (std::size_t left = 0; left < hosts.size(); ++left) {
    for (std::size_t right = left + 1; right < hosts.size(); ++right) {
      if (pairs.size() == most) return pairs;
      const Pair pair{hosts[left], hosts[right]};
      if (!knows_both(pair.first, pair.second) && !failures.contains(pair)) pairs.push_back(pair);
    }
  }
  return pairs;
}

std::vector<int> NetworkView::common_packet_sizes(std::span<const int> hosts) const {
  std::vector<int> common;
  bool first = true;
  for (const auto& [from, to] : known_paths(hosts)) {
    std::vector<int> sizes;
    for (const PairProfile* one : entries(from, to))
      sizes.push_back(one->packet_size);
    std::vector<int> both;
    std::ranges::set_intersection(common, sizes, std::back_inserter(both));
    common = first ? sizes : both;
    first = false;
  }
  return common;
}

std::optional<int> NetworkView::largest_datagram(std::span<const int> hosts) const {
  std::optional<int> smallest;
  for (const auto& [from, to] : known_paths(hosts)) {
    for (const PairProfile* one : entries(from, to))
      if (const auto& bytes = one->largest_datagram) smallest = std::min(smallest.value_or(*bytes), *bytes);
  }
  return smallest;
}

NetworkSummary NetworkView::between(std::span<const int> hosts, int packet_size) const {
  NetworkSummary summary{.packet_size = packet_size};
  std::vector<double> losses;
  std::vector<double> after_losses;
  std::vector<double> round_trips;
  std::vector<double> bandwidths;
  std::vector<double> bursts;
  for (const auto& [from, to] : known_paths(hosts)) {
    const PairProfile& one = pair(from, to, packet_size);
    losses.push_back(one.loss);
    after_losses.push_back(loss_after_loss(one, copy_spacing(one)));
    round_trips.push_back(one.round_trip.median);
    bandwidths.push_back(one.bandwidth);
    bursts.push_back(one.burst);
    summary.fragmented = summary.fragmented || one.fragmented;
    if (one.loss_sample != 0 && (summary.fewest_samples == 0 || one.loss_sample < summary.fewest_samples))
      summary.fewest_samples = one.loss_sample;
  }
  summary.loss = largest_is_worst(std::move(losses));
  summary.loss_after_loss = largest_is_worst(std::move(after_losses));
  summary.round_trip = largest_is_worst(std::move(round_trips));
  summary.bandwidth = smallest_is_worst(std::move(bandwidths));
  summary.burst = largest_is_worst(std::move(bursts));
  return summary;
}

double loss_after_loss(const PairProfile& pair, double spacing) {
  constexpr double most = 0.999;
  std::vector<SecondCopyLoss> all = pair.second_copy_loss;
  if (all.empty()) return pair.loss;
  std::ranges::sort(all, {}, &SecondCopyLoss::spacing);
  const auto above = std::ranges::lower_bound(all, spacing, {}, &SecondCopyLoss::spacing);
  if (above == all.begin()) return std::min(shrunk(pair, all.front()), most);
  if (above == all.end()) return std::min(shrunk(pair, all.back()), most);
  const SecondCopyLoss& below = *(above - 1);
  const double share = (spacing - below.spacing) / (above->spacing - below.spacing);
  return std::min(std::lerp(shrunk(pair, below), shrunk(pair, *above), share), most);
}

}  // namespace lbsp::profile
