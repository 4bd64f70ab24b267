#include "lbsp/survival/roster.hpp"

#include <cstddef>
#include <numeric>
#include <set>
#include <utility>

namespace lbsp {

void Roster::change_to(transport::WorldChange change) {
  for (const Rank slot : change.seated)
    seated_in_[slot] = change.epoch;
  if (!change.hosts.empty()) hosts_ = change.hosts;
  change_ = std::move(change);
}

std::vector<Rank> Roster::members(Rank size) const {
  if (change_) return change_->members;
  std::vector<Rank> all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), Rank{0});
  return all;
}

std::vector<bool> Roster::newer_than(std::uint32_t epoch) const {
  std::vector<bool> newer;
  if (!change_) return newer;
  for (const Rank slot : change_->members) {
    const auto seated = seated_in_.find(slot);
    newer.push_back(seated != seated_in_.end() && seated->second > epoch);
  }
  return newer;
}

std::vector<std::uint16_t> Roster::hosts(Rank size) const {
  std::vector<std::uint16_t> by_rank;
  for (const Rank slot : members(size))
    if (static_cast<std::size_t>(slot) < hosts_.size())
      by_rank.push_back(hosts_[static_cast<std::size_t>(slot)]);
  if (by_rank.size() < static_cast<std::size_t>(size)) by_rank.clear();
  return by_rank;
}

std::size_t Roster::count_hosts(Rank size) const {
  const std::vector<std::uint16_t> by_rank = hosts(size);
  const std::set<std::uint16_t> distinct(by_rank.begin(), by_rank.end());
  return distinct.size() > 1 ? distinct.size() : static_cast<std::size_t>(size);
}

}  // namespace lbsp
