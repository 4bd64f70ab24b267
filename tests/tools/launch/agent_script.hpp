#pragma once

#include <string>
#include <vector>

#include "tests/tools/command.hpp"

namespace lbsp::test {

/// A launch agent: a script that gets HOST LBSP agent, and runs the latter two here.
std::string agent_script(const TemporaryFolder& folder, const std::string& text);

/// The options for `lbsp run` over these lines of a hosts file by this launch agent, and what follows.
std::vector<std::string> over_hosts(const TemporaryFolder& folder, const std::string& hosts,
                                    const std::string& agent, const std::vector<std::string>& rest);

}  // namespace lbsp::test
