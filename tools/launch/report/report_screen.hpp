#pragma once

#include <string>

#include "tools/launch/report/job_report.hpp"

namespace lbsp::launch::report {

/// The report as one screen of text.
std::string report_as_text(const JobReport& report);

/// "rank 1 on node2 and 2 more": those that found the answer wrong, of whom there is one at least.
std::string ranks_that_found_it_wrong(const JobReport& report);

}  // namespace lbsp::launch::report
