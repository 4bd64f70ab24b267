#pragma once

#include "transport/options.hpp"

namespace lbsp::transport {

/// What a recovery allows and asks of the other parts of an endpoint. Both sides of a path know it from the
/// options of the job.
struct RecoveryRules {
  bool codes = false;                  ///< coded segments may make up for lost ones
  bool cuts_anew = false;              ///< a message may begin again in shorter segments
  bool bounds_flight = false;          ///< a sender keeps to what the path and the receiver hold
  bool spaces_copies = false;          ///< copies of a segment stand apart in time
  bool legs_end_on_arrival = false;    ///< a leg is over when all that it awaits has arrived
  bool takes_early = false;            ///< messages may be sent supersteps before they are awaited
  bool acknowledges_segments = false;  ///< each one, also of a message that the rank has taken already
};

constexpr RecoveryRules rules_of(Recovery recovery) {
  // With the paper's rounds a leg ends with a round, and an acknowledgement does not tell of which cut it is.
  if (recovery != Recovery::receiver) return {.acknowledges_segments = true};
  return {.codes = true,
          .cuts_anew = true,
          .bounds_flight = true,
          .spaces_copies = true,
          .legs_end_on_arrival = true,
          .takes_early = true};
}

}  // namespace lbsp::transport
