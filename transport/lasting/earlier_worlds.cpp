#include "transport/lasting/earlier_worlds.hpp"

#include <cstddef>
#include <utility>

namespace lbsp::transport {

void EarlierWorlds::add(const Endpoint& world, const ProcessNames& names, const MemberSet& staying) {
  KnownNetwork known = world.known();
  known_ = KnownNetwork{.uplink = std::move(known.uplink), .paths = {}};
  known_->paths.resize(MemberSet::most);
  for (Rank rank = 0; rank < names.size(); ++rank) {
    const Slot slot = names.slot(rank);
    if (staying.has(slot))
      known_->paths[static_cast<std::size_t>(slot)] = std::move(known.paths[static_cast<std::size_t>(rank)]);
  }
  traffic_ += world.counters();
  round_trip_ = completed(world.network()).round_trip_time;
}

std::shared_ptr<const KnownNetwork> EarlierWorlds::known_for(const std::vector<Slot>& slots) const {
  if (!known_) return nullptr;
  auto known = std::make_shared<KnownNetwork>(KnownNetwork{.uplink = known_->uplink, .paths = {}});
  for (const Slot slot : slots)
    known->paths.push_back(known_->paths[static_cast<std::size_t>(slot)]);
  return known;
}

NetworkMeasure EarlierWorlds::completed(NetworkMeasure measured) const {
  if (measured.round_trip_time == Duration{0}) measured.round_trip_time = round_trip_;
  return measured;
}

}  // namespace lbsp::transport
