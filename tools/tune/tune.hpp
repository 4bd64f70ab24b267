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

/// What the user has decided already.
struct Decided {
  std::optional<double> most_nodes{};
  std::optional<double> nodes{};  ///< exactly so many
  bool halo = false;              ///< the algorithm's halo is to stay
};

struct Advice {
  model::tuning::Tuning tuning;
  double sequential_seconds = 0;   ///< on one node
  std::vector<std::string> hosts;  ///< to be taken; none if they have no names
  std::vector<std::string> warnings;
  Algorithm algorithm;  ///< with the halo that it should have
};

/// The numbers of nodes that the algorithm can run on and there are, within what is decided. Throws UsageError if it
/// cannot run on the nodes that are decided or there are not so many.
std::vector<double> nodes_to_consider(const Algorithm& algorithm, const Platform& platform,
                                      const Decided& decided);

/// What to run an algorithm on, and how. Throws UsageError if it cannot run on the nodes that are decided or
/// there are not so many, and std::invalid_argument for numbers that the model refuses.
Advice advise(const Algorithm& algorithm, const Platform& platform, const Decided& decided);

}  // namespace lbsp::tune
