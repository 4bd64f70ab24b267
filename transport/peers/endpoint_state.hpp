#pragma once

#include <cstdint>

#include "transport/messages/send_queue.hpp"
#include "transport/messages/spare_payloads.hpp"
#include "transport/paths/round_clock.hpp"
#include "transport/peers/alarm.hpp"
#include "transport/peers/endpoint_config.hpp"
#include "transport/peers/known_network.hpp"
#include "transport/peers/lateness.hpp"
#include "transport/peers/legs.hpp"
#include "transport/peers/peers.hpp"
#include "transport/peers/recovery_rules.hpp"
#include "transport/peers/report_queue.hpp"
#include "transport/rate/host_downlink.hpp"
#include "transport/rate/rate_control.hpp"
#include "transport/traffic.hpp"

namespace lbsp::transport {

/// Shorter messages have been sent before an answer could change their rate.
inline constexpr std::uint64_t long_segments = 96;

/// What the parts of an endpoint share: what it knows of its peers and of its leg, what waits to be sent, and
/// the timers.
struct EndpointState {
  /// Throws UsageError if an option is out of its range, or rank and size make no job.
  EndpointState(EndpointConfig given, Instant now);

  /// A first transmission went out, or a peer has something that it had not. Both end with the superstep's
  /// data, so nobody can say for ever that it gets on.
  void note_moved(Instant now) { last_moved = now; }
  void queue_report(Peer& to);
  /// Whether the leg's messages, and those of the host's other ranks, have been sent before an answer could change how.
  bool sends_little() const {
    return leg_segments * static_cast<std::uint64_t>(rate.sharers()) < long_segments;
  }
  /// Whether nearly all that the leg sends goes to that peer.
  bool sends_most_to(const Peer& to) const;
  /// Where what is for this peer waits.
  SendQueue& queue_to(const Peer& to) { return to.near ? near_queue : queue; }
  /// What all peers of the host's ranks may send together; nullopt: as much as they like.
  std::optional<BytesPerSecond> granted_rate(Instant now) const;
  /// What was held back for this peer may go.
  void release_held_back(Peer& to);
  /// Nobody awaits any more what is early for later supersteps.
  void forget_early();
  /// Messages whose segments are too long for the path to this peer begin again, in shorter ones.
  void cut_anew(Peer& to);

  const EndpointConfig config;
  const RecoveryRules rules;
  Peers peers;
  Alarm alarm;
  Lateness lateness;
  Legs legs;
  RateControl rate;  ///< of what goes to other hosts, and of reports
  Pacer near_pacer;  ///< of what goes to ranks of the same host
  const std::shared_ptr<HostDownlink> downlink;
  ReportQueue reports;
  SendQueue queue;           ///< for ranks of other hosts
  SendQueue near_queue;      ///< for those of the same one
  Rank unanswered = 0;       ///< peers at which nothing seems to have arrived for a while
  RoundClock round;          ///< of the paper's rounds; not started with the receiver-driven recovery
  const std::uint16_t room;  ///< for each peer in this rank's receive buffer

  SparePayloads spare_payloads;

  std::uint64_t leg_segments = 0;   ///< of what the leg sends to other hosts
  std::uint64_t leg_bytes = 0;      ///< of what the leg sends to other hosts, without headers
  std::uint64_t waiting_bytes = 0;  ///< likewise, of earlier legs that had not been sent when it began
  bool queue_seen = false;          ///< on a path, since heavy loss was doubted last
  bool rate_shown = false;          ///< the first flight has told what the network carries
  Instant last_moved{};
  TrafficCounters counters;
};

/// Whether the rate that it begins with is a guess (FirstFlight).
inline bool finds_first_rate(const EndpointState& state) {
  const bool known = state.config.known && state.config.known->uplink;
  return state.config.options.find_rate && state.rules.bounds_flight && !known;
}

}  // namespace lbsp::transport
