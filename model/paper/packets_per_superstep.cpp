#include "model/paper/packets_per_superstep.hpp"

#include <cmath>

#include "model/mathematics/require.hpp"

namespace lbsp::model::paper {

std::string_view name_of(PacketsPerSuperstep kind) {
  switch (kind) {
    case PacketsPerSuperstep::one:
      return "1";
    case PacketsPerSuperstep::log2:
      return "log2";
    case PacketsPerSuperstep::log2_squared:
      return "log2sq";
    case PacketsPerSuperstep::n:
      return "n";
    case PacketsPerSuperstep::n_log2:
      return "nlog2n";
    case PacketsPerSuperstep::n_squared:
      break;
  }
  return "n2";
}

double packets_per_superstep(PacketsPerSuperstep kind, double nodes) {
  mathematics::require_nodes(nodes);
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
