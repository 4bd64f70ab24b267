#pragma once

#include <string>

#include "tools/launch/report/job_report.hpp"

namespace lbsp::launch::report {

/// The report as JSON, all quantities in SI units; docs/report.md lists the keys.
std::string report_as_json(const JobReport& report);

}  // namespace lbsp::launch::report
