#pragma once

#include "transport/peers/endpoint_state.hpp"
#include "transport/rate/burst_bound.hpp"
#include "transport/sending/first_rates.hpp"
#include "transport/sending/flight_room.hpp"

namespace lbsp::transport {

/// Bounds the rates at which to send, this rank's and those of its paths, as echoes tell of queues, drops and marks.
class RateBounds {
 public:
  /// All must outlive it.
  RateBounds(EndpointState& state, FirstRates& first, FlightRoom& room)
      : state_(state), first_(first), room_(room) {}

  /// An echo of the peer, which the mark is of.
  void bound(Peer& to, const TrainMark& mark, Instant now);
  /// Whether what arrives there says how fast this rank may send: nothing else limits it.
  bool tells_of_own_rate(const Peer& to) const;

 private:
  void judge_first_data(Peer& to, const TrainMark& mark, const BurstMeter::Seen& seen, double variation,
                        Instant now);
  bool limited_by_grant(const Peer& to) const;
  bool takes_long(const Peer& to) const;
  void bound_spill(Peer& to, const TrainMark& mark, Instant now);
  void bound_queues(Peer& to, const TrainMark& mark, QueueSample sample, Instant now);
  void bound_bursts(Peer& to, const TrainMark& mark, const QueueSample& sample, bool is_short, Instant now);
  void limit_rate(Instant now);
  void go_on_from_spill(Instant now);
  bool marks_most(Instant now);

  EndpointState& state_;
  FirstRates& first_;
  FlightRoom& room_;
  BurstBound bursts_;  ///< of what goes to several peers
  Instant looked_for_marks_at_{};
  bool marks_most_ = false;
};

}  // namespace lbsp::transport
