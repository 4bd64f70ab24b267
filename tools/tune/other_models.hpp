#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/tune/algorithm.hpp"
#include "tools/tune/platform.hpp"
#include "tools/tune/tune.hpp"

namespace lbsp::tune {

/// Whose prediction the advice follows. Only that of lbsp knows losses, packets and protection; the others answer how
/// many nodes to take (docs/predictors.md).
enum class Model {
  lossy_bsp,
  pmm,            ///< of a matrix product by Fox's algorithm
  queueing,       ///< nodes as hosts of one interface each, and a core for each rank
  critical_path,  ///< the longest path through supersteps in which all nodes are alike
};

/// Throws UsageError for a name that is not known.
Model model_named(const std::string& name);
const char* name_of(Model model);

/// What a model says of a number of nodes.
struct Choice {
  double nodes = 1;
  double seconds = 0;
  double halo = 1;  ///< of jacobi
};

/// The seconds of the program with that number of nodes, by a model other than lossy BSP. What a message takes is
/// half of the round trip and its bytes at the bandwidth, for all of them. None if the model does not know it: pmm,
/// where the order is no multiple of the mesh's side. Throws UsageError for pmm of a program that is no matrix
/// product.
std::optional<double> seconds_by(Model model, const Algorithm& algorithm, const Platform& platform,
                                 double nodes);

struct OtherAdvice {
  Choice best;
  std::vector<Choice> neighbours;  ///< the numbers of nodes considered below and above
  double sequential_seconds = 0;
  std::vector<std::string> hosts;
  std::vector<std::string> warnings;
  Algorithm algorithm;  ///< with the halo that it should have
};

/// The number of nodes with the least seconds, and the halo. Every admissible number up to the limit is tried; without
/// one, up to default_most_nodes, and 128 with queueing, whose time grows with their cube. Throws what advise() throws.
OtherAdvice advise_by(Model model, const Algorithm& algorithm, const Platform& platform,
                      const Decided& decided);

}  // namespace lbsp::tune
