#pragma once

#include <string>

#include "tools/launch/job_report.hpp"

namespace lbsp::launch {

/// The report as JSON, all quantities in SI units; docs/report.md lists the keys.
std::string report_as_json(const JobReport& report);

/// One record of one rank's supersteps, as a line of a trace file without its end.
std::string trace_line(Rank rank, job::SuperstepRange range, const SuperstepFigures& figures);

/// What a rank did that is in no superstep's line.
std::string trace_end_line(Rank rank, const SuperstepFigures& figures);

}  // namespace lbsp::launch
