#pragma once

#include <optional>

#include "tools/estimate/trace_estimate.hpp"
#include "tools/trace_file/trace.hpp"

namespace lbsp::estimate {

// A run by the models of docs/predictors.md without calibration: their constants are those of this run. Losses do not
// count. What a model misses of the recorded run is the standard deviation for its interval of nine of ten runs, with
// more ranks so many times as much; a run that did not come to its end tells none. Both throw UsageError for a trace in
// which a rank has told nothing.

/// Whether the product that the trace has recorded, if it has one, has a mesh of so many ranks.
bool has_mesh(const trace_file::Trace& trace, double ranks);

struct PmmEstimate {
  double seconds = 0;  ///< of the run
  std::optional<Interval> interval{};
  double product_measured = 0;  ///< of the product alone, as calibration::RecordedProduct has it …
  double product_seconds = 0;   ///< … and by the formula
};

/// The run of a matrix product by Fox's algorithm: the product by its formula, with the rate at which the ranks sent,
/// half of the round trip, and the operations of the slowest rank in a second; and what was before and after it, as
/// recorded. With `ranks`, on so many instead of those of the trace. None for another program
/// (calibration::recorded_product()), and without a rate or round trip. Throws std::invalid_argument for ranks on
/// which the product cannot be.
std::optional<PmmEstimate> pmm_estimate(const trace_file::Trace& trace, const Changes& changes,
                                        std::optional<double> ranks = {});

struct QueueingEstimate {
  double seconds = 0;
  std::optional<Interval> interval{};
};

/// The run as a closed network of queues: of the processor time of the ranks, on hosts that have a core for each of
/// their ranks, and of what they sent. None if ranks of several hosts have measured no rate, and without a superstep.
std::optional<QueueingEstimate> queueing_estimate(const trace_file::Trace& trace, const Changes& changes);

}  // namespace lbsp::estimate
