#pragma once

#include <string>

#include "tools/trace_file/clocks.hpp"

namespace lbsp::trace_command {

/// Whether this build can write OTF2.
bool can_write_otf2();

/// Writes an archive of the Open Trace Format 2 (https://www.vi-hps.org/projects/score-p), which Vampir and otf2-print
/// read: a new folder `path` with trace.otf2 in it. A location for each rank, in a group for each and a node of the
/// system tree for each host; regions for computing, waiting and taking messages apart; and as metrics the bytes that
/// were sent, the segments that were sent again, loss, round trip and rate. Times are in nanoseconds.
///
/// Throws UsageError if `path` is there already or this build cannot write OTF2, and SystemError if it cannot be
/// written; then nothing of it is left.
void write_otf2(const std::string& path, const trace_file::Trace& trace, const trace_file::TimeLines& lines);

}  // namespace lbsp::trace_command
