#pragma once

#include <string>

#include "tools/trace_file/trace.hpp"

namespace lbsp::report {

/// Each is a section of the page: a table with a row for each rank that sends and a column for each that receives.

/// Who sent how much to whom in the whole run; darker is more.
std::string map_of_bytes(const trace_file::Trace& trace);

/// Which part of the datagrams from each rank to each other was lost; darker is more. Empty where no datagrams were
/// sent, as in a run over memory, and for traces that do not have it.
std::string map_of_losses(const trace_file::Trace& trace);

}  // namespace lbsp::report
