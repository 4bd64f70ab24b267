#pragma once

#include <string>

#include "tools/launch/course/job.hpp"
#include "tools/launch/ranks/job_process.hpp"

namespace lbsp::launch::course {

/// What to say of a process that has not said hello within the start's timeout, and what to do.
std::string why_never_started(const Job& job, const ranks::JobProcess& process);

}  // namespace lbsp::launch::course
