#pragma once

#include <string>
#include <vector>

#include "tools/estimate/model_estimates.hpp"
#include "tools/launch/report/job_report.hpp"

namespace lbsp::launch::report {

/// What each model that applies says of the whole run, to stand beside what it took. With the text of its trace that is
/// what `lbsp estimate` says; without, as with an empty one, only lbsp's own plans have said something.
///
/// None of a job that has not come to its end, and of one in which a rank has told nothing.
std::vector<estimate::ModelEstimate> models_of(const JobReport& report, const std::string& trace);

}  // namespace lbsp::launch::report
