#pragma once

#include <string>
#include <vector>

#include "tools/launch/options.hpp"
#include "tools/launch/placement.hpp"

namespace lbsp::launch {

/// The command that connects to the host's agent.
std::vector<std::string> agent_command(const RunOptions& options, const PlacedHost& host);

}  // namespace lbsp::launch
