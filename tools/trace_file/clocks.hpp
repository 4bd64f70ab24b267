#pragma once

#include <vector>

#include "tools/trace_file/trace.hpp"

namespace lbsp::trace_file {

/// When a superstep began and ended on one rank, in seconds by the clock of the first rank that has told any.
struct Times {
  double began = 0;   ///< computing
  double called = 0;  ///< sync()
  double came = 0;    ///< the last message
  double ended = 0;   ///< sync()
};

/// The ranks' time lines on one clock.
struct TimeLines {
  std::vector<std::vector<Times>> steps;  ///< by rank and superstep, as the trace has them
  std::vector<double> shifts;             ///< by rank: added to its clock
  std::vector<double> errors;             ///< by rank: how far its clock may be off against the first's
};

/// Aligns the ranks' clocks by the messages that every superstep has from each rank to every other: a rank leaves
/// sync() after every other has called it. So a rank's clock cannot be ahead of another's by more than the least time,
/// over all supersteps, from the other's call to its own return. Half way between the bounds from both sides is taken,
/// and half of their distance is the error; one way of a message takes that long at most. Records of several supersteps
/// do not tell when sync() was called: where there are only such, clocks count from the start of the job, and the error
/// is infinite.
TimeLines align(const Trace& trace);

}  // namespace lbsp::trace_file
