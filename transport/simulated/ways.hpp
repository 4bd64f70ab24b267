#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "transport/impairment/delay_line.hpp"
#include "transport/impairment/link.hpp"
#include "transport/simulated/simulation_config.hpp"

namespace lbsp::transport {

/// The ways between the ranks of a simulated job: the links of their hosts, the WAN, what is cut or narrow, and the
/// datagrams on their way.
class Ways {
 public:
  /// Throws UsageError if the topology has not a place for each rank.
  explicit Ways(const SimulationConfig& config);

  DatagramPool& pool() { return pool_; }
  /// The host of each rank.
  const std::vector<std::uint16_t>& hosts() const { return hosts_; }

  /// Takes the slot over. The length that the sending host's own system names, if it refuses the datagram as too long.
  std::optional<std::size_t> send(const PooledDatagram& datagram, Instant now);

  /// The next event here; `never` if nothing is on its way.
  Instant next() const { return std::min(line_.next(), before_downlink_.next()); }
  bool downlink_due(Instant now) const { return before_downlink_.next() <= now; }
  /// The next datagram enters its receiver's downlink. Returns the receiver.
  Rank enter_downlink(Instant now);
  bool arrival_due(Instant now) const { return line_.next() <= now; }
  /// Whoever takes the arrival releases its slot.
  DelayLine::Arrival take_arrival() { return line_.take(); }

  ImpairmentCounters impairment() const;
  std::size_t in_flight() const { return line_.size() + before_downlink_.size(); }

 private:
  std::uint16_t host_index(Rank rank) const { return hosts_[static_cast<std::size_t>(rank)]; }
  const Topology::Host& host_of(Rank rank) const { return topology_.hosts[host_index(rank)]; }
  bool one_site(Rank from, Rank to) const {
    return host_of(from).site != 0 && host_of(from).site == host_of(to).site;
  }
  void place(Rank size);
  bool lost_in_spell(Instant now);
  void cross(PooledDatagram datagram, Instant now);

  DatagramPool pool_;
  DelayLine line_{pool_};
  DelayLine before_downlink_{pool_};
  std::vector<ImpairedLink> links_;  ///< by the sending rank
  FaultPlan faults_;
  Topology topology_;
  std::vector<std::uint16_t> hosts_;  ///< by rank
  Instant beginning_;
  std::uint64_t spell_random_;
};

}  // namespace lbsp::transport
