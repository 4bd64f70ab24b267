#pragma once

#include "transport/peers/endpoint_state.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// When something small is to go to the peer at the latest: a keepalive (Peer::keepalive_at()), or a call.
///
/// A rank calls a peer that does not seem to hear it although its answer is needed, as one of the two lacks something.
/// Losses may come in runs that are counted in datagrams rather than in time, and then the way is whole again only
/// after so many. Reports and probes that become ever rarer would make a run of 100 last for half a minute. Small
/// datagrams cost little: so many go that a run of usual length is over in an eighth of a round trip, and fewer the
/// longer they do nothing and the longer nothing comes from the peer. What is lost is sent again when one of them has
/// arrived.
///
/// They have their share of the rate (ReportQueue). Nobody is called before something has arrived there, unless the
/// rate was told: the link may be so slow that all still waits before it.
Instant keepalive_at(const EndpointState& state, const Peer& to);

/// To be called when something of what was sent to the peer is found to have arrived.
void take_answer(Peer& from, Instant now);

}  // namespace lbsp::transport
