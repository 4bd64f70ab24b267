#pragma once

#include "transport/peers/endpoint_state.hpp"
#include "transport/peers/known_network.hpp"
#include "transport/traffic.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What has been measured of the network: of the paths to other hosts, unless there are none. `best_arrival`: the best
/// rate at which a message has come.
NetworkMeasure network_measure(const EndpointState& state, BytesPerSecond best_arrival);

/// What the next endpoint of this process can begin with.
KnownNetwork known_network(const EndpointState& state);

}  // namespace lbsp::transport
