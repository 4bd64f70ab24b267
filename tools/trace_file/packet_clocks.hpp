#pragma once

#include "tools/trace_file/trace.hpp"

namespace lbsp::trace_file {

/// How the clocks of two ranks differ.
struct ClockShift {
  double shift = 0;  ///< added to the second's clock it is the first's
  double error = 0;  ///< how far that may be off; infinite where nothing is known
};

/// Aligns two ranks' clocks by the datagrams between them: none comes before it was sent. So one clock cannot be ahead
/// of the other's by more than the least time, over all datagrams, from the sending by the other to the arrival here.
/// Half way between the bounds of both directions is taken, and half of their distance is the error: half of the least
/// round trip. No datagram then comes before it was sent.
ClockShift align(const Trace& trace, Rank first, Rank second);

}  // namespace lbsp::trace_file
