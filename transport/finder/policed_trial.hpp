#pragma once

#include <optional>

#include "transport/finder/path_loss.hpp"
#include "transport/finder/policed_sharing.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// A lower rate is tried, to see whether less of it is lost.
struct PolicedTrial {
  /// Whether `rate` loses less, by what has been `seen` of it. `proven`: a trial has shown before that the loss is the
  /// rate's. `enough`: of several epochs.
  bool helps(BytesPerSecond rate, const LossMean& seen, double own_loss, bool proven, bool enough) const;

  BytesPerSecond before;
  LossMean at_rate = {};      ///< what was lost of that
  int epochs = 0;             ///< at this rate
  BytesPerSecond first_rate;  ///< before all cuts …
  double first_loss = 0;      ///< … and what was lost of that
  int cuts = 1;
  double lost_before = 0;               ///< of the rate before, if a trial went on
  std::optional<FloodWait> flood = {};  ///< all begin anew
};

}  // namespace lbsp::transport
