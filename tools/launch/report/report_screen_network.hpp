#pragma once

#include <string>

#include "tools/launch/report/job_report.hpp"

namespace lbsp::launch::report {

/// The lines of the report on the screen that tell of the network, without their names.

/// Its loss, round trip, bandwidth and rate.
std::string network_text(const JobReport& report);
/// How long datagrams were at the end; empty if they were as long at the beginning.
std::string lengths_text(const JobReport& report);

}  // namespace lbsp::launch::report
