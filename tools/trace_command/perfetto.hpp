#pragma once

#include <string>

#include "tools/trace_file/clocks.hpp"

namespace lbsp::trace_command {

/// The trace in the JSON of Chrome's trace viewer, which Perfetto reads too: a track for each rank with slices for
/// computing, waiting and taking messages apart; arrows from the rank that was waited for; counters of loss, round
/// trip, rate and what was sent again. The clocks' errors are in "otherData".
std::string to_perfetto(const trace_file::Trace& trace, const trace_file::TimeLines& lines);

}  // namespace lbsp::trace_command
