#pragma once

#include <string>

#include "tools/launch/job_report.hpp"

namespace lbsp::launch {

/// The report as one screen of text.
std::string report_as_text(const JobReport& report);

}  // namespace lbsp::launch
