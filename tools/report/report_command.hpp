#pragma once

#include <string>
#include <vector>

namespace lbsp::report {

/// `lbsp report`, given the words after it. Returns the exit code; throws UsageError, SystemError or
/// std::invalid_argument, whose texts are for the user.
int run_report(const std::vector<std::string>& words);

}  // namespace lbsp::report
