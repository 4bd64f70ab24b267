#include "transport/sending/flight_room.hpp"

namespace lbsp::transport {

/// Where a rate was told, the first guess of a round trip says how much the path holds, and the first sample is
/// believed. Nothing else says that a rate which is looked for is carried.
bool FlightRoom::full(const Peer& to) const {
  if (!state_.rules.bounds_flight) return false;
  if (to.path.sizes.on_trial()) return true;
  if (!to.near && first_.full()) return true;
  if (to.outbound.flight.within_room(to.outbound.next_packet, to.echoed.packets)) return false;
  const PathEstimate& times = to.path.times;
  const Duration guess = state_.config.options.find_rate ? Duration{0} : times.guessed();
  const bool measured = times.known() || times.measured();
  const double on_path = datagrams_on_path(to.near ? near_rate(state_.config) : state_.rate.share(),
                                           measured ? times.least() : guess, to.path.sizes.in_use());
  return to.outbound.flight.reached(to.outbound.next_packet, to.echoed.packets, on_path,
                                    times.known() || guess > Duration{0});
}

}  // namespace lbsp::transport
