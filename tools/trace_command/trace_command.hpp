#pragma once

#include <string>
#include <vector>

namespace lbsp::trace_command {

/// `lbsp trace`, given the words after it. Returns the exit code; throws UsageError or SystemError, whose texts are for
/// the user.
int run_trace(const std::vector<std::string>& words);

}  // namespace lbsp::trace_command
