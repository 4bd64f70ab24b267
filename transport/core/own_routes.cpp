#include "transport/core/own_routes.hpp"

namespace lbsp::transport {

void OwnRoutes::lower(Rank to, std::size_t bytes, Instant now) {
  Peer& peer = state_.peers[to];
  // What is known already must not make the doubts about a path forgotten that carries still less.
  if (bytes >= peer.path.sizes.in_use()) return;
  rooms_.sizes.lower(peer, bytes, now);
  // With the paper's rounds, what does not pass ends the job after the silent-peer limit; later messages fit.
  if (rooms_.control.failure() || !state_.rules.cuts_anew) return;
  state_.cut_anew(peer);
  rooms_.recovery.answer_awaited(peer, now);
}

void OwnRoutes::note_refusal(Rank to, int error, Instant now) {
  Peer& peer = state_.peers[to];
  const bool goes_on = error != 0 && peer.outbound.refused_by_host.error != 0;
  peer.outbound.refused_by_host = {error, goes_on ? peer.outbound.refused_by_host.since : now};
  rooms_.liveness.set_limits(peer);
  state_.alarm.reschedule(to);
}

}  // namespace lbsp::transport
