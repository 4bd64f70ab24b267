#pragma once

#include "transport/units.hpp"

namespace lbsp::transport {

/// How far one peer and this rank are with their farewell (farewell.hpp).
struct Parting {
  bool confirmed = false;      ///< the peer has heard this rank's FIN
  bool over = false;           ///< nothing is expected of the peer any more
  int said = 0;                ///< how often this rank has said FIN to it
  Instant drained_at = never;  ///< when the last message to it was known to have arrived
  Instant said_at{};
  Instant say_at = never;  ///< when to say FIN next
};

}  // namespace lbsp::transport
