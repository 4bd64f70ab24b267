#include "model/paper/packets_per_superstep.hpp"

#include <array>
#include <cmath>

#include "model/mathematics/require.hpp"

namespace lbsp::model::paper {

std::string_view name_of(PacketsPerSuperstep kind) {
  constexpr std::array names{"1", "log2", "log2sq", "n", "nlog2n", "n2"};
  return names[static_cast<std::size_t>(kind)];
}

double packets_per_superstep(PacketsPerSuperstep kind, double nodes) {
  mathematics::require_count(nodes, "nodes");
  if (nodes == 1) return 0;
  const double log = std::log2(nodes);
  switch (kind) {
    case PacketsPerSuperstep::one:
      return 1;
    case PacketsPerSuperstep::log2:
      return log;
    case PacketsPerSuperstep::log2_squared:
      return log * log;
    case PacketsPerSuperstep::n:
      return nodes;
    case PacketsPerSuperstep::n_log2:
      return nodes * log;
    case PacketsPerSuperstep::n_squared:
      break;
  }
  return nodes * nodes;
}

}  // namespace lbsp::model::paper
