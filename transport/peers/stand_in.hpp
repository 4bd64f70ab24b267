#pragma once

#include "transport/peers/endpoint_state.hpp"

namespace lbsp::transport {

/// Whose path tells of the path to that peer, if it has not been measured itself: what goes to ranks of one host takes
/// the same way. Else what is lost at first on one of several short paths would wait as long as on a transcontinental
/// one. Of those of its host that have been measured it is the one that takes longest; the peer itself if there is
/// none, if hosts are not known, or if another measurement has told of it.
const Peer& stand_in_for(const Peer& peer, const EndpointState& state);

}  // namespace lbsp::transport
