#include "lbsp/checkpoint/layout.hpp"

#include <algorithm>
#include <set>

namespace lbsp::checkpoint {
namespace {

std::vector<std::size_t> hosts_or_ranks(Rank size, std::span<const std::uint16_t> hosts) {
  std::vector<std::size_t> host_of;
  const bool one = std::set<std::uint16_t>(hosts.begin(), hosts.end()).size() < 2;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(size); ++rank)
    host_of.push_back(one ? rank : hosts[rank]);
  return host_of;
}

}  // namespace

Layout::Layout(Rank size, std::span<const std::uint16_t> hosts, int survive)
    : host_of_(hosts_or_ranks(size, hosts)) {
  std::vector<std::size_t> numbers(host_of_);
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  ranks_of_.resize(numbers.size());
  for (std::size_t rank = 0; rank < host_of_.size(); ++rank) {
    const auto place = std::ranges::lower_bound(numbers, host_of_[rank]) - numbers.begin();
    host_of_[rank] = static_cast<std::size_t>(place);
    ranks_of_[host_of_[rank]].push_back(static_cast<Rank>(rank));
  }
  if (survive == 0) return;
  pieces_ = std::clamp(static_cast<int>(numbers.size()) - 1, 0, most_pieces);
  if (pieces_ > 0) needed_ = pieces_ + 1 - std::clamp(survive, 1, pieces_);
}

std::vector<Rank> Layout::keepers(Rank of) const {
  const std::size_t host = host_of_[static_cast<std::size_t>(of)];
  const auto on_host = std::ranges::find(ranks_of_[host], of) - ranks_of_[host].begin();
  std::vector<Rank> keepers;
  for (int piece = 0; piece < pieces_; ++piece) {
    const auto& there = ranks_of_[(host + 1 + static_cast<std::size_t>(piece)) % ranks_of_.size()];
    keepers.push_back(there[static_cast<std::size_t>(on_host) % there.size()]);
  }
  return keepers;
}

}  // namespace lbsp::checkpoint
