#pragma once

#include <nlohmann/json.hpp>

#include "tools/launch/report/job_report.hpp"

namespace lbsp::launch::report {

/// What the job did about losses, as --on-failure names it.
const char* on_failure_of(const JobReport& report);
/// Who was lost, when and how; docs/report.md describes each key.
nlohmann::ordered_json lost_as_json(const JobReport& report);
/// What the others made of it, one entry for each new world.
nlohmann::ordered_json changes_as_json(const JobReport& report);

}  // namespace lbsp::launch::report
