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

/// What nine of ten runs take, in seconds.
struct NineOfTen {
  double from = 0;
  double to = 0;
};

/// What a model says of a number of nodes.
struct Choice {
  double nodes = 1;
  double seconds = 0;
  double halo = 1;  ///< of jacobi
  NineOfTen interval{};
};

/// The seconds of the program with that number of nodes, by a model other than lossy BSP. What a message takes is
/// half of the round trip and its bytes at the bandwidth, for all of them. None if the model does not know it: pmm,
/// where the order is no multiple of the mesh's side. Throws UsageError for pmm of a program that is no matrix
/// product.
std::optional<double> seconds_by(Model model, const Algorithm& algorithm, const Platform& platform,
                                 double nodes);

/// What nine of ten runs take where a model that knows neither losses nor anything else that varies says `choice`. The
/// most that is known of a program that has not run is lbsp's own prediction, as long as it says nine of ten take
/// (model::tuning::Setting): the interval has all of that, and the model's own seconds. So it is at least nine of ten,
/// and as wide as the model is far from the protocol.
NineOfTen interval_around(const Choice& choice, const Algorithm& algorithm, const Platform& platform);

struct OtherAdvice {
  Choice best;
  std::vector<Choice> neighbours;  ///< the numbers of nodes considered below and above
  double sequential_seconds = 0;
  std::vector<std::string> hosts;
  std::vector<std::string> warnings;
  Algorithm algorithm;  ///< with the halo that it should have
};

/// The number of nodes with the least seconds, and the halo. Every admissible number up to the limit is tried; without
/// one, up to default_most_nodes, and 128 with queueing, whose time grows with their cube: beyond 512 nodes it throws.
/// Throws what advise() throws.
OtherAdvice advise_by(Model model, const Algorithm& algorithm, const Platform& platform,
                      const Decided& decided);

}  // namespace lbsp::tune
