#pragma once

#include "transport/redundancy.hpp"
#include "transport/units.hpp"

namespace lbsp::plan {

/// Between which rates a host has sent lately, as far as its ranks knew when they planned. A rate that is still being
/// found, or that changes, is not the one at which the next superstep will be sent.
class RateRange {
 public:
  /// A leg is planned with this rate. One that was found or guessed may be too high until it changes.
  void note(transport::BytesPerSecond rate, transport::RateSource source);

  /// What sending takes in times of the `seconds` that it would take at the rate noted last: at the middle of the
  /// range, and at its ends.
  struct Factors {
    double usual = 1;
    double least = 1;
    double most = 1;
  };
  Factors factors(double seconds = 0) const;

 private:
  double grown_in(double seconds) const;

  bool first_leg_ = false;  ///< at one to be found, that may rise in it
  bool untested_ = false;
  bool rises_ = false;  ///< one to be found has never been less than before
  double rising_ = 1;   ///< so many times as high as before, and never too high yet
  double rate_ = 0;     ///< bytes per second, as noted last; 0: never
  double most_ = 0;     ///< the same, of late …
  double least_ = 0;    ///< … and of one that has not been tested, a part
};

}  // namespace lbsp::plan
