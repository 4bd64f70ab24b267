#pragma once

#include <string>

#include "tools/trace_file/trace.hpp"

namespace lbsp::report {

/// One self-contained page of HTML about a run: where its time went, by rank and by superstep, and what the estimate of
/// its longest path is. Its size does not grow with the number of supersteps. Throws UsageError for a trace that cannot
/// be estimated, or has no superstep.
std::string page_of(const trace_file::Trace& trace);

}  // namespace lbsp::report
