#pragma once

#include "transport/peers/endpoint_state.hpp"
#include "transport/sending/first_rates.hpp"
#include "transport/sending/flight_room.hpp"
#include "transport/sending/rate_bounds.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// Follows what is in flight to each peer: takes what the peer says of it, and has it bounded (RateBounds) and released
/// (FlightRoom).
class InFlight {
 public:
  explicit InFlight(EndpointState& state);
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

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

  /// As FlightRoom's.
  bool full(const Peer& to) const { return room_.full(to); }
  /// As FirstRates'.
  bool first_answered() const { return first_.answered(); }

 private:
  void note_echo(Peer& from, const Echo& echo, Instant now);
  void prove_base(Peer& from, const Echo& echo);
  void note_newest(Peer& from, const Echo& echo, std::uint32_t arrived, Instant now);
  void judge_rates(Peer& from, const Echo& echo, Instant now);
  void watch(Peer& to, const Echo& echo, Instant now);

  EndpointState& state_;
  FirstRates first_;
  FlightRoom room_;
  RateBounds bounds_;
};

}  // namespace lbsp::transport
