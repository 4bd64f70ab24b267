#pragma once

#include "transport/peers/endpoint_state.hpp"
#include "transport/sending/first_rates.hpp"

namespace lbsp::transport {

/// How much may be in flight to each peer, and what is held back for that.
class FlightRoom {
 public:
  /// Both must outlive it.
  FlightRoom(EndpointState& state, const FirstRates& first) : state_(state), first_(first) {}

  /// Whether no more should be sent to the peer before an echo comes back: the path is full, and so is the
  /// room in its buffer; or it is on trial whether datagrams as long as these arrive. It matters where the receiver
  /// cannot keep up with the configured rate; elsewhere the pacer is stricter.
  bool full(const Peer& to) const;

  /// What was held back from the peer may go now, unless it is still full.
  void release(Peer& to) {
    if (!to.outbound.held_back.empty() && !full(to)) state_.release_held_back(to);
  }
  void release_to_all() {
    for (const Rank rank : state_.peers.others())
      release(state_.peers[rank]);
  }

 private:
  EndpointState& state_;
  const FirstRates& first_;
};

}  // namespace lbsp::transport
