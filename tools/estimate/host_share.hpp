#pragma once

#include "tools/trace_file/trace.hpp"

namespace lbsp::estimate {

/// What the hosts add to the communication of each superstep, where ranks wait for a processor or wake up late: what
/// was measured, less what the plan expected. Seconds; 0 where no superstep had a plan.
struct HostShare {
  double mean = 0;
  double variance = 0;          ///< from superstep to superstep, beyond that of the losses
  double variance_of_mean = 0;  ///< how well so many supersteps tell the mean
};

HostShare host_share(const trace_file::Trace& trace);

}  // namespace lbsp::estimate
