#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transport/udp/sockets/port.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// One UDP port for the ranks `first` to `first + count - 1`, which are on this host: a socket for each, by rank. The
/// system gives each what is for it, by the receiving rank in the clear header (SO_REUSEPORT with a filter, socket(7)).
/// It counts the sockets in the order in which they were bound, and moves the last to the place of one that is closed:
/// so whoever calls this keeps all of them open until the ranks have ended.
/// Throws as UdpPort::bind, and SystemError if the system has no such filters.
std::vector<UdpPort> bind_for_ranks(const std::string& address, std::uint16_t port, Rank first, Rank count);

/// Whether bind_for_ranks() has made the socket, for more than one rank.
bool is_shared(const UdpPort& port);

}  // namespace lbsp::transport
