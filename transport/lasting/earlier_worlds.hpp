#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "transport/core/endpoint.hpp"
#include "transport/lasting/process_names.hpp"
#include "transport/membership/member_set.hpp"
#include "transport/peers/known_network.hpp"
#include "transport/traffic.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What the worlds before this one have left to a process: what was known of the network, and what they have sent.
class EarlierWorlds {
 public:
  /// A world is over, and these of its members go on in the next one: of the ways to others nothing is known then.
  void add(const Endpoint& world, const ProcessNames& names, const MemberSet& staying);

  /// The last one ended because some were silent, and none was lost: what they had sent may have stood in queues, at a
  /// rate that is too high now. So the next one asks, as the first does.
  void doubt_rate() { known_->uplink.reset(); }

  /// What the last one knew, for the ranks of the next one, which have these slots; none: there was none.
  std::shared_ptr<const KnownNetwork> known_for(const std::vector<Slot>& slots) const;
  const TrafficCounters& traffic() const { return traffic_; }
  /// What this world has measured; where its paths have not been measured, as where nobody else is left, with the round
  /// trip of one before.
  NetworkMeasure completed(NetworkMeasure measured) const;

 private:
  std::optional<KnownNetwork> known_;  ///< of the last one; its paths by slot
  TrafficCounters traffic_;
  Duration round_trip_{0};  ///< 0: none has measured it
};

}  // namespace lbsp::transport
