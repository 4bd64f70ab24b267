#pragma once

#include <array>
#include <cmath>
#include <string_view>

#include "model/mathematics/require.hpp"

namespace lbsp::model::paper {

/// c(n): how the packets of a superstep, counted over the whole system, grow with the number of nodes. The
/// paper's six kinds, from slow to fast growth. Logarithms are to base 2.
enum class PacketsPerSuperstep { one, log2, log2_squared, n, n_log2, n_squared };

inline constexpr std::array all_packets_per_superstep{
    PacketsPerSuperstep::one, PacketsPerSuperstep::log2,   PacketsPerSuperstep::log2_squared,
    PacketsPerSuperstep::n,   PacketsPerSuperstep::n_log2, PacketsPerSuperstep::n_squared};

/// The name on a command line: 1, log2, log2sq, n, nlog2n, n2.
constexpr std::string_view name_of(PacketsPerSuperstep kind) {
  constexpr std::array names{"1", "log2", "log2sq", "n", "nlog2n", "n2"};
  return names[static_cast<std::size_t>(kind)];
}

/// c(n) for n ≥ 1 nodes. One node sends nothing: 0, whatever the kind.
inline double packets_per_superstep(PacketsPerSuperstep kind, double nodes) {
  mathematics::require_count(nodes, "nodes");
  if (nodes == 1) return 0;
  const double log = std::log2(nodes);
  const std::array packets{1., log, log * log, nodes, nodes * log, nodes * nodes};
  return packets[static_cast<std::size_t>(kind)];
}

}  // namespace lbsp::model::paper
