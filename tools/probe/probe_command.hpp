#pragma once

#include <string>
#include <vector>

namespace lbsp::probe {

/// `lbsp probe`. Returns the exit code; throws Error for what ends it.
int run_probe(const std::vector<std::string>& arguments);

}  // namespace lbsp::probe
