#pragma once

#include "transport/units.hpp"

namespace lbsp::transport {

/// How far one peer and this rank are with their farewell (farewell.hpp).
struct Parting {
  bool finished = false;       ///< the peer has said FIN: it needs nothing more
  bool confirmed = false;      ///< the peer has heard this rank's FIN
  bool over = false;           ///< nothing is expected of the peer any more
  int said = 0;                ///< how often this rank has said FIN to it
  Instant said_at{};           ///< the last time
  Instant drained_at = never;  ///< when all that the peer can need of this rank was known to have arrived
};

}  // namespace lbsp::transport
