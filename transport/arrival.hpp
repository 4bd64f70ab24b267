#pragma once

#include "transport/ecn.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// When and how a datagram has come.
struct Arrival {
  Arrival(Instant read_at, Ecn said = Ecn::unknown, Duration time_in_buffer = Duration{0})
      : at(read_at), ecn(said), waited(time_in_buffer) {}

  Instant at;         ///< when it was read
  Ecn ecn;            ///< what its IP header says
  Duration waited;    ///< in the socket's buffer, before that; 0 if the system does not tell
  Duration slept{0};  ///< … of which this process did not run for so long, or was about to read
};

}  // namespace lbsp::transport
