#pragma once

#include "transport/membership/letter.hpp"
#include "transport/udp/driving/udp_job.hpp"
#include "transport/udp/sockets/port.hpp"

namespace lbsp::transport {

/// Asks the job's members for the place of a lost rank, from this port, and waits until they give it. Throws Error if
/// nobody has after a minute, and as UdpExchange.
Letter knock_for_letter(const UdpPort& port, const UdpJob& job);

}  // namespace lbsp::transport
