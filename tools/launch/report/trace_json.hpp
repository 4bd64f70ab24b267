#pragma once

#include <string>

#include "tools/launch/report/job_report.hpp"

namespace lbsp::launch::report {

/// One record of one rank's supersteps, as a line of a trace file without its end; `traced` may be null. docs/trace.md
/// lists the keys.
std::string trace_line(Rank rank, job::SuperstepRange range, const SuperstepFigures& figures,
                       const trace::Figures* traced);

/// A part of what the trace has of a rank's single datagrams.
std::string trace_packets_line(Rank rank, const job::Packets& packets);

/// What a rank did that is in no superstep's line, and what the job was.
std::string trace_end_line(Rank rank, const SuperstepFigures& figures, const JobReport& report);

}  // namespace lbsp::launch::report
