#pragma once

#include <string>
#include <vector>

#include "tools/check/findings.hpp"

namespace lbsp::check {

/// A table with a line for each host, and the findings below.
std::string as_text(const Seen& seen, const std::vector<Finding>& found);

/// {"version", "hosts": […], "pairs": […], "findings": […]}, with its newline (docs/hosts.md).
std::string as_json(const Seen& seen, const std::vector<Finding>& found);

}  // namespace lbsp::check
