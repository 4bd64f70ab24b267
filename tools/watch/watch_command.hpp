#pragma once

#include <string>
#include <vector>

namespace lbsp::watch {

/// `lbsp watch`, given the words after it: shows what the ranks of a running job do. Returns the exit code; throws
/// UsageError or SystemError, whose texts are for the user.
int run_watch(const std::vector<std::string>& words);

}  // namespace lbsp::watch
