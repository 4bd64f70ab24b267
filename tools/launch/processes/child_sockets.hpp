#pragma once

#include <chrono>

namespace lbsp::launch::processes {

/// Ends the TCP connections of a child process in which the far side has acknowledged nothing for so long
/// (TCP_USER_TIMEOUT of RFC 5482). Keepalives find a dead peer only while nothing is sent to it; what has been
/// sent is else repeated for a quarter of an hour. Does nothing where the system does not hand out a child's
/// descriptors (Linux before 5.6, containers that forbid it).
void limit_unacknowledged_time(int pid, std::chrono::milliseconds limit);

}  // namespace lbsp::launch::processes
