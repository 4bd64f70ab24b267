#pragma once

#include <optional>
#include <string>

#include "tools/command_line/command_line.hpp"
#include "tools/launch/request/options.hpp"
#include "tools/launch/request/redundancy_option.hpp"

namespace lbsp::launch::request {

/// What is read only when all options are known, as one may say what another means.
struct NetworkWords {
  RedundancyWords redundancy;
  std::optional<std::string> rate;
};

/// The options that say over which network, real or pretended, ranks exchange, and how.
void add_network_options(command_line::CommandLine& line, RunOptions& options, NetworkWords& words);
/// Once all are read. Throws UsageError if one has no sense.
void settle_network(RunOptions& options, const NetworkWords& words);

}  // namespace lbsp::launch::request
