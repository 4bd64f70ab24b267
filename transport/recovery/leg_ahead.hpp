#pragma once

#include "transport/messages/outgoing_message.hpp"
#include "transport/peers/endpoint_state.hpp"

namespace lbsp::transport {

/// Whether the peer can tell of what goes to it now, while the leg's messages are still being sent for the first time.
/// What is lost of that delays nobody if it is sent again once it is known, so nothing need be sent for it in advance.
/// Messages longer than this one count as far as it goes, since all take turns.
bool heard_in_time(const EndpointState& state, const Peer& to, const OutgoingMessage& message);

}  // namespace lbsp::transport
