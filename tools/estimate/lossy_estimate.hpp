#pragma once

#include <optional>
#include <vector>

#include "model/tuning/program.hpp"
#include "tools/estimate/trace_estimate.hpp"
#include "tools/trace_file/trace.hpp"

namespace lbsp::estimate {

/// A run by the lossy-BSP prediction of lbsp's own protocol (docs/prediction.md).
struct LossyEstimate {
  double seconds = 0;
  double computing = 0;  ///< of these; the rest is communication
  Interval interval{};   ///< nine of ten runs fall into it, if only losses differ from run to run
};

/// The recorded supersteps on the network of the trace, changed. In each, the slowest rank computes as long as it was
/// recorded by the wall clock; then all exchange what the rank has sent that takes longest at its rate, with the best
/// protection for that; a first superstep of which nothing was known, with what lbsp plans then. Ranks of one host
/// exchange for nothing if the trace has several hosts. An empty superstep and the farewell end the job.
///
/// None if the network has no round trip or no rate: neither measured nor given. Costs up to a millisecond for each
/// superstep that is unlike the others. Throws UsageError for a trace in which a rank has told nothing.
std::optional<LossyEstimate> lossy_estimate(const trace_file::Trace& trace, const Changes& changes);

/// lossy_estimate() of a ready program on another number of ranks, by its own formulas (model/tuning/program.hpp). What
/// a host computes in a second is as it was in the trace. Throws UsageError for a program that is not one of ours, that
/// read, wrote or verified, and for a number of ranks on which it does not run.
std::optional<LossyEstimate> lossy_estimate_on(double ranks, const trace_file::Trace& trace,
                                               const Changes& changes);

}  // namespace lbsp::estimate
