#pragma once

#include <string>
#include <vector>

namespace lbsp::tune {

/// `lbsp tune`: the best copies, packet size and nodes for an algorithm on a network. Returns the exit code;
/// throws UsageError, SystemError or std::invalid_argument, whose texts are for the user.
int run_tune(const std::vector<std::string>& words);

}  // namespace lbsp::tune
