#pragma once

#include <string>
#include <vector>

namespace lbsp::launch::doors {

/// `lbsp attach`, given the words after it: shows what a job writes whose `lbsp run` has died, to its end. Returns the
/// job's exit code; throws UsageError or SystemError, whose texts are for the user.
int run_attach(const std::vector<std::string>& words);

}  // namespace lbsp::launch::doors
