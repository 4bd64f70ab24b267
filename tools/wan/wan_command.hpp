#pragma once

#include <string>
#include <vector>

namespace lbsp::wan {

/// `lbsp wan ARGUMENTS…`: up, exec, stats, hosts or down. Returns the exit code. Throws UsageError or
/// SystemError.
int run_wan(const std::vector<std::string>& arguments);

}  // namespace lbsp::wan
