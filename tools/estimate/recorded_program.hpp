#pragma once

#include "model/tuning/program.hpp"
#include "tools/trace_file/trace.hpp"
#include "tools/tune/algorithm.hpp"

namespace lbsp::estimate {

/// The ready program of a trace, as the tuner knows it.
class RecordedProgram {
 public:
  /// Throws UsageError for another program, and for one with options of which the tuner knows nothing: it counts
  /// neither reading, writing nor verifying.
  explicit RecordedProgram(const trace_file::Trace& trace);

  /// The program on so many ranks, if it computed for `recorded_seconds` on those of the trace. Throws UsageError if it
  /// does not run on so many.
  model::tuning::Program on(double ranks, double recorded_seconds) const;

 private:
  double recorded_ranks_;
  tune::Algorithm algorithm_;
};

}  // namespace lbsp::estimate
