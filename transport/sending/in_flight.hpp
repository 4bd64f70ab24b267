#pragma once

#include "transport/peers/endpoint_state.hpp"
#include "transport/rate/burst_bound.hpp"
#include "transport/rate/first_data.hpp"
#include "transport/rate/first_flight.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// Follows what is in flight to each peer: takes what the peer says of it, and bounds it.
class InFlight {
 public:
  explicit InFlight(EndpointState& state);

  /// Takes an echo, and completes its numbers, of which the wire has the lower parts, also if it says nothing new.
  void echoed(Peer& from, Echo& echo, Instant now);
  /// The peer was heard, so it runs.
  void heard(Peer& from, Instant now);
  /// Takes what a report says of marks; before its echo.
  void marked(Peer& from, const StatusHeader& status, Instant now);
  /// Takes what a report says of the peer's downlink.
  void granted(Peer& from, const StatusHeader& status, Instant now);
  /// Takes what a report says of the peer's receive buffer.
  void told(Peer& from, const StatusHeader& status, Instant now);

  /// Whether no more should be sent to the peer before an echo comes back: the path is full, and so is the
  /// room in its buffer; or it is on trial whether datagrams as long as these arrive. It matters where the receiver
  /// cannot keep up with the configured rate; elsewhere the pacer is stricter.
  bool full(const Peer& to) const;
  /// Whether those who were asked first have answered (FirstFlight).
  bool first_answered() const { return first_.answered(); }

 private:
  void note_echo(Peer& from, const Echo& echo, Instant now);
  void prove_base(Peer& from, const Echo& echo);
  void note_newest(Peer& from, const Echo& echo, std::uint32_t arrived, Instant now);
  void judge_rates(Peer& from, const Echo& echo, Instant now);
  bool tells_of_own_rate(const Peer& to) const;
  void judge_first(Peer& to, const TrainMark& mark, Instant now);
  void judge_first_data(Peer& to, const TrainMark& mark, const BurstMeter::Seen& seen, double variation,
                        Instant now);
  FirstData::Sent sent_to(Duration round_trip) const;
  Duration longest_round_trip() const;
  void release_what_may_go();
  void watch(Peer& to, const Echo& echo, Instant now);
  bool limited_by_grant(const Peer& to) const;
  bool takes_long(const Peer& to) const;
  void bound_rate(Peer& to, const TrainMark& mark, Instant now);
  void bound_spill(Peer& to, const TrainMark& mark, Instant now);
  void bound_queues(Peer& to, const TrainMark& mark, QueueSample sample, Instant now);
  void bound_bursts(Peer& to, const TrainMark& mark, const QueueSample& sample, bool is_short, Instant now);
  void limit_rate(Instant now);
  void go_on_from_spill(Instant now);
  bool marks_most(Instant now);

  EndpointState& state_;
  FirstFlight first_;
  FirstData first_data_;
  BurstBound bursts_;  ///< of what goes to several peers
  Instant looked_for_marks_at_{};
  bool marks_most_ = false;
};

}  // namespace lbsp::transport
