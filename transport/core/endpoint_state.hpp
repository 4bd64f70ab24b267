#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "transport/core/alarm.hpp"
#include "transport/core/delayed_queue.hpp"
#include "transport/core/endpoint_config.hpp"
#include "transport/core/peers.hpp"
#include "transport/core/rate_control.hpp"
#include "transport/core/report_queue.hpp"
#include "transport/core/send_queue.hpp"
#include "transport/redundancy.hpp"
#include "transport/traffic.hpp"
#include "transport/wire/message_id.hpp"

namespace lbsp::transport {

/// The leg that a rank is in, or was in last.
struct CurrentLeg {
  MessageId id;
  bool active = false;
  std::vector<Rank> sources;
  Rank awaited = 0;  ///< sources whose message is not complete
  std::vector<Rank> destinations;
};

/// An acknowledgement of one segment, of the paper's rounds.
struct AckJob {
  Rank peer;
  MessageId message;
  std::uint16_t round;
  std::uint32_t segment;
};

/// What the parts of an endpoint share: what it knows of its peers and of its leg, what waits to be sent, and
/// the timers.
struct EndpointState {
  /// Throws UsageError if an option is out of its range, or rank and size make no job.
  EndpointState(EndpointConfig given, Instant now);

  /// Every message of the leg has arrived, and this rank need not wait any more.
  void complete_leg();
  /// A first transmission went out, or a peer has something that it had not. Both end with the superstep's
  /// data, so nobody can say for ever that it gets on.
  void note_moved(Instant now) { last_moved = now; }
  void queue_report(Rank rank);
  /// What was held back for this peer may go.
  void release_held_back(Rank rank);

  EndpointConfig config;
  Peers peers;
  Alarm alarm;
  RateControl rate;
  ReportQueue reports;
  SendQueue queue;
  DelayedQueue<AckJob> acks;
  std::shared_ptr<RedundancyPlanner> planner;
  std::uint16_t room;  ///< for each peer in this rank's receive buffer

  CurrentLeg leg;
  MessageId position;  ///< every message to this rank before this one has arrived
  Instant last_moved{};
  TrafficCounters counters;
};

}  // namespace lbsp::transport
