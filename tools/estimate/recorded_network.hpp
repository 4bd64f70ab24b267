#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "model/superstep/superstep.hpp"
#include "tools/estimate/trace_estimate.hpp"
#include "tools/trace_file/trace.hpp"

namespace lbsp::estimate {

/// The network of a trace, changed: between any two ranks the same path, the mean of those that were measured. Each
/// rank sends at its own rate.
struct RecordedNetwork {
  model::superstep::Path path;
  std::vector<double> rates;  ///< by rank: bytes per second

  /// A superstep in which all send alike ends with the slowest.
  double least_rate() const { return std::ranges::min(rates); }
};

/// None if it has no round trip or no rate: neither measured nor given. Throws UsageError for a loss of which lbsp
/// predicts nothing.
std::optional<RecordedNetwork> recorded_network(const trace_file::Trace& trace, const Changes& changes);

}  // namespace lbsp::estimate
