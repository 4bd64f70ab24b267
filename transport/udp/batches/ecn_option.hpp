#pragma once

#include <cstddef>
#include <optional>
#include <sys/socket.h>

#include "transport/ecn.hpp"
#include "transport/udp/sockets/socket_address.hpp"

/// The ECN field of IP headers, as a socket writes and tells it: the lowest two bits of IPv4's type of service, or of
/// IPv6's traffic class. Where the system has not got these options, datagrams go without and nothing is told.
namespace lbsp::transport {

/// All that the socket sends carries this from now on. Whether the system lets it.
bool mark_all(int socket, Ecn ecn);
/// Of what comes, the system tells the field. Whether it can.
bool ask_for_ecn(int socket);

/// What control messages take for it.
inline constexpr std::size_t ecn_control_bytes = CMSG_SPACE(sizeof(int));
/// Writes one into `part`, for a datagram to this address.
void write_ecn(cmsghdr& part, const SocketAddress& to, Ecn ecn);
/// What the control messages of a datagram that has come say. Those of a train were alike: the system joins no others.
Ecn ecn_of(msghdr& message);

}  // namespace lbsp::transport
