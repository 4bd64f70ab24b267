#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "transport/membership/callers.hpp"
#include "transport/membership/member_set.hpp"
#include "transport/units.hpp"
#include "transport/wire/clear_header.hpp"

namespace lbsp::transport {

/// The three names of a job's processes: ranks, which are of the epoch; slots, which are the ranks of the first one,
/// and stand in the headers of datagrams; and stations, by which datagrams are addressed (callers.hpp).
class ProcessNames {
 public:
  /// `callers` says which process has which slot; null: slots are stations for good.
  explicit ProcessNames(const Callers* callers) : callers_(callers) {}

  /// The first epoch of a job that ends with any of its ranks.
  void enter_only(Rank size);
  /// The next epoch, with these members.
  void enter(const MemberSet& members);

  Rank size() const { return static_cast<Rank>(slots_.size()); }
  /// By rank.
  const std::vector<Slot>& slots() const { return slots_; }
  Slot slot(Rank rank) const { return slots_[static_cast<std::size_t>(rank)]; }
  Station station_of(Slot slot) const { return callers_ != nullptr ? callers_->station_of(slot) : slot; }
  Station station_at(Rank rank) const { return station_of(slot(rank)); }
  /// None: nobody of this epoch is there.
  std::optional<Rank> rank_at(Station station) const;

  /// A datagram that goes out names slots, and one that an endpoint seals or opens ranks.
  void name_slots(std::span<std::byte> datagram) const;
  /// Returns the sender's. Whoever is no member becomes a rank that there is not, which the endpoint rejects.
  Rank name_ranks(std::span<std::byte> datagram, const ClearHeader& header) const;

 private:
  const Callers* callers_;
  MemberSet members_;
  std::vector<Slot> slots_;  ///< by rank
};

/// The lowest first.
std::vector<Slot> in_order(const MemberSet& set);

}  // namespace lbsp::transport
