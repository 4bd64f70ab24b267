#pragma once

#include <functional>

#include "lbsp/job/channel.hpp"
#include "lbsp/world.hpp"

namespace lbsp::job::joining {

/// Takes part in the job at the other end of `channel`: joins, runs the program, reports. Returns the
/// process's exit code. Whatever goes wrong is told to the launcher; if that is gone the process ends.
int run_launched(Channel& channel, const std::function<void(World&)>& program);

}  // namespace lbsp::job::joining
