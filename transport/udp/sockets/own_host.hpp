#pragma once

#include "transport/udp/sockets/port.hpp"
#include "transport/udp/sockets/socket_address.hpp"

namespace lbsp::transport {

/// Where the port is found from its own host, whatever others call that: at the loopback interface, if it takes what
/// comes to all addresses. Of no length if the system does not tell.
SocketAddress on_own_host(const UdpPort& port);

/// Where another rank of the port's host is found, of which others were told this address. Behind a NAT the host itself
/// may not reach that; so at the loopback interface, if the port takes what comes to all addresses, as the other's does
/// then.
SocketAddress of_neighbour(const UdpPort& port, const SocketAddress& told);

}  // namespace lbsp::transport
