#include "transport/lasting/process_names.hpp"

#include <algorithm>
#include <numeric>

namespace lbsp::transport {

void ProcessNames::enter_only(Rank size) {
  slots_.resize(static_cast<std::size_t>(size));
  std::iota(slots_.begin(), slots_.end(), Slot{0});
}

void ProcessNames::enter(const MemberSet& members) {
  members_ = members;
  slots_ = in_order(members);
}

std::optional<Rank> ProcessNames::rank_at(Station station) const {
  const auto slot = callers_ != nullptr ? callers_->slot_of(station) : std::optional<Slot>(station);
  if (!slot) return std::nullopt;
  const auto found = std::ranges::find(slots_, *slot);
  if (found == slots_.end()) return std::nullopt;
  return static_cast<Rank>(found - slots_.begin());
}

void ProcessNames::name_slots(std::span<std::byte> datagram) const {
  const auto header = read_clear_header(datagram);
  readdress(datagram, slot(header->source), slot(header->destination));
}

Rank ProcessNames::name_ranks(std::span<std::byte> datagram, const ClearHeader& header) const {
  const auto rank_of = [&](Slot slot) { return members_.has(slot) ? members_.below(slot) : size(); };
  const Rank source = rank_of(header.source);
  readdress(datagram, source, rank_of(header.destination));
  return source;
}

std::vector<Slot> in_order(const MemberSet& set) {
  std::vector<Slot> slots;
  set.for_each([&](Slot slot) { slots.push_back(slot); });
  return slots;
}

}  // namespace lbsp::transport
