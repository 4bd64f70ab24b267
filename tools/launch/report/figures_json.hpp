#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/launch/report/job_report.hpp"

/// What reports and traces have in common, as JSON in SI units.
namespace lbsp::launch::report {

nlohmann::ordered_json packets_as_json(const transport::TrafficCounters& traffic);
nlohmann::ordered_json bytes_as_json(const transport::TrafficCounters& traffic);
/// Of one superstep or several, of one rank or all.
nlohmann::ordered_json figures_as_json(const SuperstepFigures& figures);
nlohmann::ordered_json interval_as_json(const Interval& interval);
/// How a rank spent its time.
nlohmann::ordered_json seconds_as_json(const job::RankReport& one);

/// `indent` -1: in one line. What is no UTF-8, of a path say, is replaced.
std::string as_text(const nlohmann::ordered_json& json, int indent);

}  // namespace lbsp::launch::report
