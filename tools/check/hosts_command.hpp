#pragma once

#include <string>
#include <vector>

namespace lbsp::check {

/// `lbsp hosts check`: takes the words after `hosts`. Returns the exit code. Throws Error if a job over these hosts
/// would fail.
int run_hosts(const std::vector<std::string>& words);

}  // namespace lbsp::check
