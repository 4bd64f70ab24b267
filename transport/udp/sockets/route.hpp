#pragma once

#include <cstddef>
#include <optional>

#include "transport/udp/sockets/socket_address.hpp"

namespace lbsp::transport {

/// The longest datagram (UDP payload, bytes) that the system's route to this address takes whole: the MTU of
/// the interface, or less if routers have told of less. Nothing is sent. nullopt if the system does not say.
std::optional<std::size_t> longest_datagram(const SocketAddress& peer);

}  // namespace lbsp::transport
