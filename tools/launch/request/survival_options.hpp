#pragma once

#include "tools/command_line/command_line.hpp"
#include "tools/launch/request/options.hpp"

namespace lbsp::launch::request {

/// Adds the options about what becomes of a job whose ranks are lost.
void add_survival_options(command_line::CommandLine& line, RunOptions& options);

/// Throws UsageError if a job cannot go on without its ranks as these options have it, or they say what is of such
/// jobs alone.
void check_survival(const RunOptions& options);

}  // namespace lbsp::launch::request
