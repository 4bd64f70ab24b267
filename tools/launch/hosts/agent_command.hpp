#pragma once

#include <string>
#include <vector>

#include "tools/launch/places/placement.hpp"
#include "tools/launch/request/options.hpp"

namespace lbsp::launch::hosts {

/// The command that connects to the host's agent.
std::vector<std::string> agent_command(const request::RunOptions& options, const places::PlacedHost& host);

}  // namespace lbsp::launch::hosts
