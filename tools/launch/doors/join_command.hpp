#pragma once

#include <string>
#include <vector>

namespace lbsp::launch::doors {

/// `lbsp join`, given the words after it. Returns the exit code. Throws UsageError.
int run_join(const std::vector<std::string>& words);

}  // namespace lbsp::launch::doors
