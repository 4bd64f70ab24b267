#pragma once

#include "transport/peers/endpoint_state.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

// How long the recovery that a receiver drives (receiver_driven.hpp) waits: a receiver before it reports what is
// missing, and a sender that hears nothing before it probes, with how many copies.

/// Nothing of what went to that peer is known to have arrived.
bool unheard(const Peer& other);
/// Nothing nearly as long as what goes to that peer is known to have arrived there, and it is near.
bool unproven(const EndpointState& state, const Peer& other);

/// So long what is missing may only be late.
Duration reordering_window(Peer& from, Instant now);
/// From one report to that peer to the next.
Duration report_interval(const EndpointState& state, const Peer& to);
/// The same where nothing has come since, after which it grows.
Duration time_to_repeat_report(const EndpointState& state, const Peer& to);
/// Where reports to all would take much of the rate, one that says only that all has arrived waits: the echoes of the
/// segments that go to the peer say so, too.
bool report_hardly_tells(const EndpointState& state, const Peer& to, Instant now);

/// From the last answer, or the probe before, to the next probe.
Duration time_to_probe(const EndpointState& state, const Peer& to);
/// Of a segment that a probe sends, at most.
int copies_to_probe(const EndpointState& state, const Peer& to);

}  // namespace lbsp::transport
