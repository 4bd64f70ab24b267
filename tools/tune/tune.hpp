#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/tuning/tuner.hpp"
#include "tools/tune/algorithm.hpp"
#include "tools/tune/platform.hpp"

namespace lbsp::tune {

/// Nodes considered if neither the hosts nor the user set a limit.
inline constexpr double default_most_nodes = 1024;

struct Advice {
  model::tuning::Tuning tuning;
  double sequential_seconds = 0;   ///< on one node
  std::vector<std::string> hosts;  ///< to be taken; none if they have no names
  std::vector<std::string> warnings;
};

/// What to run an algorithm on, and how. Throws UsageError if it can run on no number of nodes, and
/// std::invalid_argument for numbers that the model refuses.
Advice advise(const Algorithm& algorithm, const Platform& platform, std::optional<double> most_nodes);

}  // namespace lbsp::tune
