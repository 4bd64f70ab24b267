#pragma once

#include <string>
#include <vector>

#include "tools/trace_file/trace.hpp"

namespace lbsp::calibration {

/// The traces in a list of files, such as one.trace,two.trace. Throws UsageError for a file that is none, and for a run
/// that was not finished.
std::vector<trace_file::Trace> read_traces(const std::string& list, const char* option);

/// The files' names, in the same order.
std::vector<std::string> names_in(const std::string& list);

}  // namespace lbsp::calibration
