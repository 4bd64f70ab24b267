#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "transport/world_change.hpp"

namespace lbsp {

/// Who is in the present world of a job: by which change it came to be, where its ranks have been at the job's start,
/// on which hosts they are, and since which world their processes are there.
class Roster {
 public:
  /// `hosts`: by rank at the job's start, the number of its host; empty: all differ.
  explicit Roster(std::vector<std::uint16_t> hosts = {}) : hosts_(std::move(hosts)) {}

  /// Another world follows.
  void change_to(transport::WorldChange change);

  /// None: this is the job's first world.
  const std::optional<transport::WorldChange>& change() const { return change_; }
  std::uint32_t epoch() const { return change_ ? change_->epoch : 0; }
  /// By rank in the present world, of so many: the rank at the job's start.
  std::vector<Rank> members(Rank size) const;
  /// By rank in the present world, whether its process is newer than the world of that epoch.
  std::vector<bool> newer_than(std::uint32_t epoch) const;
  /// By rank in the present world, of so many: the number of its host; empty if that is not known of all.
  std::vector<std::uint16_t> hosts(Rank size) const;
  /// The same by rank at the job's start, and of those that have joined since; empty: all differ.
  const std::vector<std::uint16_t>& hosts_by_slot() const { return hosts_; }
  /// On how many hosts a world of so many ranks is. Where all are on one, each counts as a host of its own, as for the
  /// keepers of its state.
  std::size_t count_hosts(Rank size) const;

 private:
  std::optional<transport::WorldChange> change_;
  std::vector<std::uint16_t> hosts_;
  std::map<Rank, std::uint32_t>
      seated_in_;  ///< by the rank at the job's start: its process came in that epoch
};

}  // namespace lbsp
