#include "tools/launch/survival/missed_ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

namespace lbsp::launch::survival {

void MissedRanks::take(Rank from, const job::Missed& missed) {
  if (missed.epoch < epoch_) return;
  if (missed.epoch > epoch_) said_.clear();
  epoch_ = missed.epoch;
  said_[from] = missed.ranks;
  // What it says when the epoch is over does not take back why somebody was lost.
  if (!missed.refusal.to.empty()) refused_[from] = missed;
}

std::optional<MissedRanks::Refusal> MissedRanks::refusal_about(Rank rank, std::uint32_t epoch) const {
  std::optional<Refusal> by_another;
  for (const auto& [from, said] : refused_) {
    if (said.epoch != epoch) continue;
    const std::vector<Rank>& to = said.refusal.to;
    if (from == rank) return Refusal{rank, to.front(), said.refusal.error};
    if (std::ranges::find(to, rank) != to.end()) by_another = Refusal{from, rank, said.refusal.error};
  }
  return by_another;
}

std::vector<Rank> MissedRanks::by_half(Rank size) const {
  std::map<Rank, Rank> count;
  for (const auto& [from, ranks] : said_) {
    for (const Rank rank : std::set<Rank>(ranks.begin(), ranks.end()))
      ++count[rank];
  }
  std::vector<Rank> found;
  for (const auto& [rank, times] : count)
    if (2 * times >= size) found.push_back(rank);
  return found;
}

std::vector<Rank> MissedRanks::by_any(Rank size) const {
  std::set<Rank> found;
  for (const auto& [from, ranks] : said_)
    if (2 * ranks.size() <= static_cast<std::size_t>(size)) found.insert(ranks.begin(), ranks.end());
  return {found.begin(), found.end()};
}

std::vector<Rank> MissedRanks::by_all() const {
  std::set<Rank> found;
  for (const auto& [from, ranks] : said_)
    found.insert(ranks.begin(), ranks.end());
  std::erase_if(found, [this](Rank rank) {
    return std::ranges::any_of(said_, [rank](const auto& said) {
      return said.first != rank && !said.second.empty() &&
             std::ranges::find(said.second, rank) == said.second.end();
    });
  });
  return {found.begin(), found.end()};
}

}  // namespace lbsp::launch::survival
